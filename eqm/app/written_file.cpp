#include "eqm/app/written_file.h"

#include <filesystem>
#include <system_error>

#include "eqm/base/error.h"
#include "eqm/io/text.h"

namespace eqm::app {

void require_another_file(const std::string& out, const std::string& input) {
  std::error_code ignored;
  if (!std::filesystem::equivalent(input, out, ignored)) return;
  throw Error(ErrorKind::usage, in_quotes(input) + " would be overwritten", "name another file");
}

void require_safetensors_name(const std::string& out) {
  if (out.ends_with(".safetensors")) return;
  throw Error(ErrorKind::usage, in_quotes(out) + " would hold safetensors under another name",
              "end it with .safetensors");
}

}  // namespace eqm::app
