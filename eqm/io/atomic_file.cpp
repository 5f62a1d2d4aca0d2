#include "eqm/io/atomic_file.h"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eqm/base/error.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

// Linux writes at most about 2 GiB per call; smaller pieces also bound the time of one
// uninterruptible write.
constexpr size_t kMaxWrite = size_t{1} << 28;

// 64 random bits collide once in a lifetime; more failures than this mean something else is wrong.
constexpr int kNameAttempts = 8;

Error failure(int code, std::string_view action, const fs::path& path) {
  errno = code;
  return io_error_from_errno(action, path.string());
}

// Where the bytes finally go: the path itself, or the file behind a symbolic link.
fs::path destination_of(const fs::path& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::none) throw failure(code.value(), "write", path);
  if (path.filename().empty() || fs::is_directory(status)) {
    throw Error(ErrorKind::io, "cannot write " + in_quotes(path.string()) + ": it names a folder",
                "give the name of a file");
  }
  if (!fs::exists(status)) return path;
  if (!fs::is_regular_file(status)) {
    throw Error(ErrorKind::io,
                "cannot write " + in_quotes(path.string()) + ": it is not a regular file",
                "pipes and devices cannot be replaced in one step; give the name of a file");
  }
  if (!fs::is_symlink(fs::symlink_status(path, code))) return path;
  const fs::path target = fs::canonical(path, code);
  if (code) throw failure(code.value(), "write", path);
  return target;
}

// Short and independent of the file's own name, which may already be as long as names can be.
constexpr std::string_view kTemporaryStart = ".eqm-", kTemporaryEnd = ".tmp";
constexpr size_t kTemporaryDigits = 16;

fs::path temporary_name(const fs::path& folder) {
  std::random_device entropy;
  return folder /
         fmt::format("{}{:08x}{:08x}{}", kTemporaryStart, entropy(), entropy(), kTemporaryEnd);
}

bool is_temporary_name(std::string_view name) {
  if (!name.starts_with(kTemporaryStart) || !name.ends_with(kTemporaryEnd)) return false;
  name.remove_prefix(kTemporaryStart.size());
  return name.size() == kTemporaryDigits + kTemporaryEnd.size() &&
         name.find_first_not_of("0123456789abcdef") == kTemporaryDigits;
}

// Tells sweepers that the writer lives; the system drops the lock when it dies. False when a
// sweeper was faster: it came between the file's creation and its lock, and has removed it.
bool lock_temporary(const FileDescriptor& file) {
  struct stat status {};
  // Without locks on this file system nothing is ever swept.
  while (::flock(file.get(), LOCK_EX) != 0 && errno == EINTR) continue;
  return ::fstat(file.get(), &status) != 0 || status.st_nlink > 0;
}

void remove_if_abandoned(const fs::path& path) {
  // Whatever else bears the name is not followed and not waited for.
  const FileDescriptor file(
      ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return;
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return;
  std::error_code ignored;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, ignored);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& path) : path_(destination_of(path)) {
  sweep_temporaries_once(folder_of(path_));
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    temporary_ = temporary_name(folder_of(path_));
    live_ = LiveTemporary(temporary_);  // first: a signal may come as soon as the file is there
    // 0666 lets the umask decide, as for any other new file.
    file_ =
        FileDescriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file_.is_open() && lock_temporary(file_)) return;
    if (!file_.is_open() && errno != EEXIST) break;
  }
  throw io_error_from_errno("write", path_.string());
}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::discard() noexcept {
  if (!file_.is_open()) return;
  file_.close();
  ::unlink(temporary_.c_str());
  live_ = {};
}

void AtomicFile::require_open() const {
  if (file_.is_open()) return;
  throw Error(
      ErrorKind::io,
      "cannot write " + in_quotes(path_.string()) + ": it was committed or has failed before",
      "start again with a new AtomicFile");
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  require_open();
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), std::min(bytes.size(), kMaxWrite));
    if (written > 0) {
      bytes = bytes.subspan(static_cast<size_t>(written));
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    const int code = written < 0 ? errno : EIO;
    discard();
    throw failure(code, "write", path_);
  }
}

void AtomicFile::overwrite(uint64_t offset, std::span<const std::byte> bytes) {
  require_open();
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_.get(), bytes.data(), std::min(bytes.size(), kMaxWrite),
                                     static_cast<off_t>(offset));
    if (written > 0) {
      bytes = bytes.subspan(static_cast<size_t>(written));
      offset += static_cast<uint64_t>(written);
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    const int code = written < 0 ? errno : EIO;
    discard();
    throw failure(code, "write", path_);
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::commit() {
  require_open();
  const bool synced = ::fsync(file_.get()) == 0;
  if (!synced || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int code = errno;
    discard();
    throw failure(code, "write", path_);
  }
  live_ = {};
  if (!file_.close()) throw io_error_from_errno("close", path_.string());
  sync_folder(folder_of(path_));
}

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void write_file(const fs::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text)));
}

fs::path temporary_beside(const fs::path& path) {
  return temporary_name(folder_of(path));
}

void sync_folder(const fs::path& folder) {
  const FileDescriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) {
    // A folder may allow writing but not reading; the file is in place, only its durability is
    // unknown.
    if (errno == EACCES) return;
    throw io_error_from_errno("open folder", folder.string());
  }
  // Some file systems cannot sync folders and say so by EINVAL.
  if (::fsync(directory.get()) != 0 && errno != EINVAL) {
    throw io_error_from_errno("sync folder", folder.string());
  }
}

void create_folder(const fs::path& path) {
  if (path.empty()) {
    throw Error(ErrorKind::usage, "no folder was named", "name one to write to, such as out");
  }
  std::error_code code;
  fs::create_directories(path, code);
  if (code) throw failure(code.value(), "create folder", path);
}

void sweep_temporaries(const fs::path& folder) {
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    const fs::path& path = entry->path();
    if (is_temporary_name(path.filename().native())) remove_if_abandoned(path);
  }
}

void sweep_temporaries_once(const fs::path& folder) {
  static std::mutex mutex;
  static std::set<fs::path> swept;
  std::error_code unknown;
  const fs::path whole = fs::absolute(folder, unknown);
  if (unknown || is_temporary_name(whole.filename().native())) return;  // a new one of our own
  {
    const std::scoped_lock lock(mutex);
    if (!swept.insert(whole).second) return;
  }
  sweep_temporaries(whole);
}

}  // namespace eqm
