#include "eqm/io/folder_lock.h"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

// Another holder may have removed the file between our open() and our flock(): such a lock would
// keep nobody out.
bool is_gone(const FileDescriptor& file) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 && status.st_nlink == 0;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder)
    : folder_(folder), path_(folder / "run.lock") {
  do {
    file_ = FileDescriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!file_.is_open()) throw io_error_from_errno("write", path_.string());
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) == 0) continue;
    if (errno != EWOULDBLOCK) throw io_error_from_errno("lock", path_.string());
    char owner[32] = {};
    const ssize_t length = ::pread(file_.get(), owner, sizeof owner - 1, 0);
    const std::string process(owner, length > 0 ? static_cast<size_t>(length) : 0);
    throw Error(ErrorKind::io,
                fmt::format("'{}' is in use by process {}", folder.string(),
                            process.empty() ? "unknown" : process),
                "wait for it or stop it, or choose another {out}");
  } while (is_gone(file_));
  listed_ = LiveTemporary(path_);
  const std::string own = std::to_string(::getpid());
  if (::ftruncate(file_.get(), 0) != 0 ||
      ::pwrite(file_.get(), own.data(), own.size(), 0) != static_cast<ssize_t>(own.size())) {
    const Error error = io_error_from_errno("write", path_.string());
    ::unlink(path_.c_str());
    throw error;
  }
}

FolderLock::~FolderLock() {
  listed_ = LiveTemporary();  // first: once the file is gone, another holder may make its own
  ::unlink(path_.c_str());    // before the lock is dropped
}

}  // namespace eqm
