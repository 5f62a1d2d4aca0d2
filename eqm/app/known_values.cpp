#include "eqm/app/known_values.h"

#include <algorithm>
#include <array>

#include "eqm/app/catalogue.h"

namespace eqm::app {

std::vector<std::string> known_values(const Use& use, const Option& option) {
  if (!option.choices.empty()) return option.choices;
  const std::string& name = option.name;
  if (name == "model" && use.name == "train") return names_of(catalogue_of("presets"));
  if (name == "model" || name == "features" || name == "init")
    return names_of(catalogue_of("models"));
  if (name == "data" || name == "reference" || name == "against")
    return names_of(catalogue_of("data"));
  if (name != "topic") return {};
  return names_of(catalogue_topics());
}

std::vector<std::string> known_option_files(const Use& use) {
  if (use.file_key == "recipe") return names_of(catalogue_of("recipes"));
  return {};
}

bool may_be_path(const Option& option) {
  constexpr std::array<std::string_view, 6> kWords = {"labels", "label", "mix",
                                                      "grid",   "only",  "topic"};
  return std::holds_alternative<std::string>(option.standard) && option.choices.empty() &&
         std::ranges::find(kWords, option.name) == kWords.end();
}

}  // namespace eqm::app
