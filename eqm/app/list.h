// Lists what there is to choose from.
#pragma once

#include <string>
#include <vector>

#include "eqm/app/catalogue.h"
#include "eqm/app/host.h"
#include "eqm/base/options.h"

namespace eqm::app {

struct ListOptions {
  std::string topic;  // empty: the topics

  void declare(OptionSet& options);
};

// Kind usage for a topic that there is none of, with the nearest.
std::vector<CatalogueEntry> run(const ListOptions& options, Host& host);

}  // namespace eqm::app
