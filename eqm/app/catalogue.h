// What there is to choose from, by name and with a line about each: what `eqm list` shows and
// shells complete.
#pragma once

#include <string>
#include <vector>

namespace eqm::app {

struct CatalogueEntry {
  std::string name, help;
};

// "rules", "presets", "objectives", "recipes", "models", "data" and "formats".
const std::vector<CatalogueEntry>& catalogue_topics();

std::vector<std::string> names_of(const std::vector<CatalogueEntry>& entries);

// Of a topic above, in the order in which they are best read; kind internal for others.
std::vector<CatalogueEntry> catalogue_of(const std::string& topic);

}  // namespace eqm::app
