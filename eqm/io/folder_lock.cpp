#include "eqm/io/folder_lock.h"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"

namespace eqm {

FolderLock::FolderLock(const std::filesystem::path& folder) {
  create_folder(folder);
  const std::filesystem::path path = folder / "run.lock";
  file_ = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file_.is_open()) throw io_error_from_errno("write", path.string());
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) throw io_error_from_errno("lock", path.string());
    char owner[32] = {};
    const ssize_t length = ::pread(file_.get(), owner, sizeof owner - 1, 0);
    const std::string process(owner, length > 0 ? static_cast<size_t>(length) : 0);
    throw Error(ErrorKind::io,
                fmt::format("'{}' is in use by process {}", folder.string(),
                            process.empty() ? "unknown" : process),
                "wait for it or stop it, or choose another --out");
  }
  const std::string own = std::to_string(::getpid());
  if (::ftruncate(file_.get(), 0) != 0 ||
      ::pwrite(file_.get(), own.data(), own.size(), 0) != static_cast<ssize_t>(own.size())) {
    throw io_error_from_errno("write", path.string());
  }
}

}  // namespace eqm
