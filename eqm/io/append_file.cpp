#include "eqm/io/append_file.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>

#include "eqm/base/error.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

// Opening a pipe could wait for ever, and nothing could be taken back from it.
void refuse_odd_files(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status) || fs::is_regular_file(status) || fs::is_character_file(status)) return;
  throw Error(ErrorKind::io,
              "cannot append to " + in_quotes(path.string()) + ": it is not a regular file",
              "give the name of a file");
}

}  // namespace

AppendFile::AppendFile(const fs::path& path, Open mode) : path_(path) {
  refuse_odd_files(path);
  const int exclusive = mode == Open::create ? O_EXCL : 0;
  // 0666 lets the umask decide, as for any other new file.
  file_ = FileDescriptor(
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | exclusive, 0666));
  if (!file_.is_open()) throw io_error_from_errno("write", path.string());
}

void AppendFile::append(std::string_view record) {
  const off_t before = ::lseek(file_.get(), 0, SEEK_END);
  std::string_view rest = record;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_.get(), rest.data(), rest.size());
    if (written > 0) {
      rest.remove_prefix(static_cast<size_t>(written));
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    const int code = written < 0 ? errno : EIO;
    // Half a record would spoil the records after it.
    if (rest.size() < record.size() && before >= 0 && ::ftruncate(file_.get(), before) != 0) {
      throw io_error_from_errno("mend", path_.string());
    }
    errno = code;
    throw io_error_from_errno("write", path_.string());
  }
}

void AppendFile::sync() {
  // Devices cannot be synced and say so by EINVAL.
  if (::fdatasync(file_.get()) != 0 && errno != EINVAL) {
    throw io_error_from_errno("sync", path_.string());
  }
}

}  // namespace eqm
