#include "eqm/app/list.h"

#include <algorithm>

#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/io/text.h"

namespace eqm::app {

void ListOptions::declare(OptionSet& options) {
  options.text("topic", topic,
               "rules, presets, objectives, recipes, models or data; empty for these");
}

std::vector<CatalogueEntry> run(const ListOptions& options, Host&) {
  if (options.topic.empty()) return catalogue_topics();
  const std::vector<std::string> names = names_of(catalogue_topics());
  if (std::ranges::find(names, options.topic) == names.end()) {
    throw Error(ErrorKind::usage, "there is no list of " + in_quotes(options.topic),
                suggestion(options.topic, names));
  }
  return catalogue_of(options.topic);
}

}  // namespace eqm::app
