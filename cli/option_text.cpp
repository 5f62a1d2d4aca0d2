#include "cli/option_text.h"

#include <fmt/format.h>

#include "eqm/base/option_keys.h"

namespace eqm::cli {

std::string value_word(const Option& option) {
  if (!option.choices.empty()) return "NAME";
  if (std::holds_alternative<int64_t>(option.standard)) return "COUNT";
  if (std::holds_alternative<double>(option.standard)) return "NUMBER";
  return "TEXT";
}

std::string as_flag(std::string_view key) {
  return fmt::format("--{}", key);
}

std::string help_text(const Option& option) {
  const std::string help = render_keys(option.help, as_flag);
  const std::string range = option.range.text();
  return range.empty() ? help : fmt::format("{} ({})", help, range);
}

}  // namespace eqm::cli
