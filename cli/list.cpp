// eqm list: what there is to choose from, a line each.
#include "eqm/app/list.h"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "cli/option_text.h"
#include "cli/verb.h"
#include "eqm/base/option_keys.h"

namespace eqm::cli {

std::unique_ptr<Verb> list_verb() {
  return verb_of<ListOptions>(use_named("list"), [](const ListOptions& options, Host& host) {
    const std::vector<CatalogueEntry> entries = app::run(options, host);
    size_t width = 0;
    for (const CatalogueEntry& entry : entries) width = std::max(width, entry.name.size());
    for (const CatalogueEntry& entry : entries) {
      std::cout << fmt::format("{:<{}}  {}\n", entry.name, width, render_keys(entry.help, as_flag));
    }
    return false;
  });
}

}  // namespace eqm::cli
