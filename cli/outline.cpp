#include "cli/outline.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "eqm/app/catalogue.h"
#include "eqm/base/option_keys.h"

namespace eqm::cli {
std::vector<VerbOutline> program_outline() {
  std::vector<VerbOutline> outline;
  for (std::unique_ptr<Verb>& verb : all_verbs()) {
    VerbOutline& entry = outline.emplace_back();
    entry.verb = std::move(verb);
    entry.verb->declare(entry.options);
  }
  return outline;
}

std::vector<std::string> known_values(const Verb& verb, const Option& option) {
  if (!option.choices.empty()) return option.choices;
  const std::string& name = option.name;
  if (name == "model" && verb.name() == "train") return names_of(catalogue_of("presets"));
  if (name == "model" || name == "features" || name == "init")
    return names_of(catalogue_of("models"));
  if (name == "data" || name == "reference" || name == "against")
    return names_of(catalogue_of("data"));
  if (name != "topic") return {};
  return names_of(catalogue_topics());
}

std::vector<std::string> known_configs(const Verb& verb) {
  if (verb.config_flag() == "recipe") return names_of(catalogue_of("recipes"));
  return {};
}

bool may_be_path(const Option& option) {
  constexpr std::array<std::string_view, 6> kWords = {"labels", "label", "mix",
                                                      "grid",   "only",  "topic"};
  return std::holds_alternative<std::string>(option.standard) && option.choices.empty() &&
         std::ranges::find(kWords, option.name) == kWords.end();
}

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
