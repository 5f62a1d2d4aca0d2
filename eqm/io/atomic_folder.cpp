#include "eqm/io/atomic_folder.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

}  // namespace

AtomicFolder::AtomicFolder(const fs::path& path) : target_(path) {
  sweep_temporaries_once(path.has_parent_path() ? path.parent_path() : fs::path("."));
  constexpr int kAttempts = 8;  // a sweeper may come between creation and lock
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    temporary_ = temporary_beside(path);
    std::error_code code;
    if (!fs::create_directory(temporary_, code)) {
      throw io_error(code, "create folder", path.string());
    }
    // The lock keeps sweep_temporaries() away while this process lives.
    lock_ = FileDescriptor(::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    while (lock_.is_open() && ::flock(lock_.get(), LOCK_EX) != 0 && errno == EINTR) continue;
    if (fs::exists(temporary_, code)) return;
  }
  throw io_error(std::make_error_code(std::errc::no_such_file_or_directory), "create folder",
                 path.string());
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;  // nothing more can be done about it here
  if (!committed_) fs::remove_all(temporary_, ignored);
}

void AtomicFolder::commit() {
  sync_folder(temporary_);
  std::error_code code;
  fs::rename(temporary_, target_, code);
  if (code) throw io_error(code, "write", target_.string());
  committed_ = true;
  sync_folder(target_.has_parent_path() ? target_.parent_path() : fs::path("."));
}

void remove_folder(const fs::path& path) {
  const fs::path doomed = temporary_beside(path);
  std::error_code code;
  fs::rename(path, doomed, code);
  if (!code) fs::remove_all(doomed, code);
  if (code) throw io_error(code, "remove", path.string());
}

}  // namespace eqm
