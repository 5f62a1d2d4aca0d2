#include "eqm/base/any_error.h"

#include <new>
#include <string>
#include <system_error>

namespace eqm {

Error error_from(const std::exception& exception) {
  if (const auto* error = dynamic_cast<const Error*>(&exception)) return *error;
  const std::string text = exception.what();
  // LibTorch's own errors say it in their text.
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr ||
      text.find("DefaultCPUAllocator") != std::string::npos ||
      text.find("out of memory") != std::string::npos) {
    return {ErrorKind::usage, "not enough memory for this request",
            "lower the counts or sizes asked for"};
  }
  if (dynamic_cast<const std::system_error*>(&exception) != nullptr) {
    return {ErrorKind::io, "the system refused: " + text,
            "are there enough threads, files and memory left?"};
  }
  return {ErrorKind::internal, "internal error: " + text.substr(0, text.find('\n')),
          "this is a mistake of eqm; please report it with the command you ran"};
}

}  // namespace eqm
