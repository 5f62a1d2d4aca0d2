#include "eqm/base/error.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace eqm {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return 2;
    case ErrorKind::input:
      return 3;
    case ErrorKind::io:
      return 4;
    case ErrorKind::numeric:
      return 5;
    case ErrorKind::internal:
      return 70;
  }
  return 70;
}

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::input:
      return "input";
    case ErrorKind::io:
      return "i/o";
    case ErrorKind::numeric:
      return "numeric";
    case ErrorKind::internal:
      return "internal";
  }
  return "internal";
}

namespace {

std::string one_line(std::string text) {
  for (char& letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20 || code == 0x7f) letter = ' ';
  }
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& sentence, std::string hint)
    : std::runtime_error(one_line(sentence)), kind_(kind), hint_(one_line(std::move(hint))) {
  // Nobody can do anything about our mistakes but tell us.
  if (kind == ErrorKind::internal && hint_.empty()) {
    hint_ = "this is a mistake of eqm; please report it with the command you ran";
  }
}

Error io_error_from_errno(std::string_view action, std::string_view path) {
  const int code = errno;
  std::string hint = "is the path right, the disk sound, and is there enough memory?";
  if (code == EMFILE || code == ENFILE) hint = "close other files or raise the limit (ulimit -n)";
  if (code == ENAMETOOLONG || code == ELOOP) hint = "choose a shorter path, without so many links";
  if (code == EISDIR) hint = "name a file inside of that folder";
  if (code == EFBIG) hint = "the file system or a limit (ulimit -f) allows no larger file";
  if (code == ENOENT) hint = "check the spelling of the path; its folder must exist";
  if (code == EACCES || code == EPERM || code == EROFS) {
    hint = "check the permissions, or choose another folder";
  }
  if (code == ENOTDIR || code == EEXIST) {
    hint = "a file stands where a folder is needed; check the path, or choose another";
  }
  if (code == ENOSPC || code == EDQUOT)
    hint = "the disk is full; free some space or write elsewhere";
  return Error(
      ErrorKind::io,
      fmt::format("cannot {} '{}': {}", action, path, std::generic_category().message(code)), hint);
}

Error io_error(std::error_code code, std::string_view action, std::string_view path) {
  errno = code.value();
  return io_error_from_errno(action, path);
}

}  // namespace eqm
