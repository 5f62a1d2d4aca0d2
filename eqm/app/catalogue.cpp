#include "eqm/app/catalogue.h"

#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/app/shipped.h"
#include "eqm/backbone/kinds.h"
#include "eqm/base/error.h"
#include "eqm/data/formats.h"
#include "eqm/data/installed_sets.h"
#include "eqm/data/made_images.h"
#include "eqm/descend/options.h"
#include "eqm/io/safetensors.h"
#include "eqm/landscape/model_card.h"
#include "eqm/landscape/objective.h"
#include "eqm/plane/sets.h"

namespace eqm::app {
namespace {

using Entries = std::vector<CatalogueEntry>;

std::string help_of(RuleKind rule) {
  return row_of(rule).help;
}

template <class Enum>
Entries described(const Names<Enum>& names) {
  Entries entries;
  for (const auto& [name, value] : names) entries.push_back({name, help_of(value)});
  return entries;
}

Entries objectives() {
  Entries entries;
  for (const ObjectiveRow& row : objective_rows()) {
    entries.push_back({std::string(row.name), std::string(row.help)});
  }
  return entries;
}

Entries formats() {
  Entries entries;
  for (const DataFormat& format : data_formats()) {
    entries.push_back({std::string(format.name), std::string(format.help)});
  }
  return entries;
}

Entries presets() {
  Entries entries;
  for (const BackboneKind& kind : backbone_kinds()) {
    for (const BackbonePreset& preset : kind.presets) {
      entries.push_back({preset.name, preset.help});
    }
  }
  return entries;
}

// The first sentence of the comment that a recipe begins with.
std::string first_comment(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line) && line.starts_with("# ");) {
    text += (text.empty() ? "" : " ") + line.substr(2);
  }
  const size_t end = text.find(". ");
  if (end != std::string::npos) text.erase(end);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

Entries recipes() {
  Entries entries;
  for (const ShippedFile& file : shipped_files(ShippedKind::recipe)) {
    entries.push_back({file.name, first_comment(file.path)});
  }
  return entries;
}

// What the model's file says of itself.
std::string model_line(const std::filesystem::path& path) {
  try {
    const SafetensorsFile file = SafetensorsFile::open(path);
    const ModelCard card = read_model_card(file.metadata().at(kModelCardKey));
    double weights = 0;
    for (const std::string& name : file.names()) {
      weights += static_cast<double>(element_count(file.at(name).shape).value_or(0));
    }
    return fmt::format("{}, {}, {:.1f} million weights, {} classes",
                       name_of(card.model.objective.kind),
                       nlohmann::json::parse(card.architecture).at("kind").get<std::string>(),
                       weights / 1e6, card.model.class_names.size());
  } catch (const std::exception& error) {
    return fmt::format("cannot be read: {}", error.what());
  }
}

Entries models() {
  Entries entries;
  for (const ShippedFile& file : shipped_files(ShippedKind::model)) {
    entries.push_back({file.name, model_line(file.path)});
  }
  return entries;
}

Entries data_sets() {
  Entries entries;
  for (const InstalledSet& set : installed_sets(DataPlaces::from_environment())) {
    entries.push_back(
        {set.name, set.folder.empty() ? "not found: " + set.remedy : set.folder.string()});
  }
  for (const std::string& name : all_names(made_image_names())) {
    entries.push_back({name, "generated images, for {against}"});
  }
  for (const std::string& name : all_names(plane_set_names())) {
    entries.push_back({name, "2-D data set, for `eqm landscape`"});
  }
  return entries;
}

}  // namespace

std::vector<std::string> names_of(const std::vector<CatalogueEntry>& entries) {
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : entries) names.push_back(entry.name);
  return names;
}

const std::vector<CatalogueEntry>& catalogue_topics() {
  static const std::vector<CatalogueEntry> topics = {
      {"rules", "how samples descend: {rule}"},
      {"presets", "networks that can be trained: {model}"},
      {"objectives", "what a network learns: {objective}"},
      {"recipes", "settings of whole runs: {recipe}"},
      {"models", "trained models that come with the program: {model}, {features}"},
      {"data", "data sets known by name: {data}"},
      {"formats", "files and folders that data are read from: {data} PATH"}};
  return topics;
}

std::vector<CatalogueEntry> catalogue_of(const std::string& topic) {
  if (topic == "rules") return described(rule_names());
  if (topic == "presets") return presets();
  if (topic == "objectives") return objectives();
  if (topic == "recipes") return recipes();
  if (topic == "models") return models();
  if (topic == "data") return data_sets();
  if (topic == "formats") return formats();
  throw Error(ErrorKind::internal, fmt::format("there is no list of '{}'", topic));
}

}  // namespace eqm::app
