// The one error type of the library: what kind of mistake, one sentence, and a hint at the remedy.
// The library throws it and never prints; the program maps kinds to exit codes.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace eqm {

enum class ErrorKind {
  usage,     // the caller asked for something that does not exist or is out of range
  input,     // a file or value from outside is not what it should be
  io,        // the operating system refused to read or write
  numeric,   // a computation left the finite numbers or failed to converge
  internal,  // a mistake of ours
};

// The program's exit code for an error of this kind.
int exit_code(ErrorKind kind);

std::string_view name_of(ErrorKind kind);

class Error : public std::runtime_error {
 public:
  // `sentence` says what is wrong, without a final full stop; `hint` what to do about it (may be
  // empty). Both often quote what a user or a file said: control characters become spaces, so each
  // stays one line.
  Error(ErrorKind kind, const std::string& sentence, std::string hint = {});

  ErrorKind kind() const { return kind_; }
  const std::string& hint() const { return hint_; }

 private:
  ErrorKind kind_;
  std::string hint_;
};

// "cannot open 'a.csv': No such file or directory", from errno as it is at the call.
Error io_error_from_errno(std::string_view action, std::string_view path);
// The same from an error code of the standard library.
Error io_error(std::error_code code, std::string_view action, std::string_view path);

}  // namespace eqm
