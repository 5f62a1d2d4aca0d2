#include "eqm/train/run_folder.h"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/train/checkpoint.h"

namespace eqm {

RunLock::RunLock(const RunPaths& paths) {
  create_folder(paths.folder);
  file_ = FileDescriptor(::open(paths.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file_.is_open()) throw io_error_from_errno("write", paths.lock().string());
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) throw io_error_from_errno("lock", paths.lock().string());
    char owner[32] = {};
    const ssize_t length = ::pread(file_.get(), owner, sizeof owner - 1, 0);
    const std::string process(owner, length > 0 ? static_cast<size_t>(length) : 0);
    throw Error(ErrorKind::io,
                fmt::format("'{}' is in use by process {}", paths.folder.string(),
                            process.empty() ? "unknown" : process),
                "wait for it or stop it, or choose another --out");
  }
  const std::string own = std::to_string(::getpid());
  if (::ftruncate(file_.get(), 0) != 0 ||
      ::pwrite(file_.get(), own.data(), own.size(), 0) != static_cast<ssize_t>(own.size())) {
    throw io_error_from_errno("write", paths.lock().string());
  }
}

std::filesystem::path find_model(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return path;
  const RunPaths paths = {.folder = path};
  // The latest checkpoint first: the model beside it may be of an earlier stop.
  const auto checkpoints = find_checkpoints(paths.checkpoints());
  if (!checkpoints.empty()) return RunPaths{checkpoints.back().path}.model();
  if (std::filesystem::exists(paths.model(), ignored)) return paths.model();
  throw Error(ErrorKind::input, fmt::format("there is no model in the folder '{}'", path.string()),
              "give a .safetensors file, a run folder or a checkpoint");
}

}  // namespace eqm
