// eqm landscape: learns a 2-D landscape, descends it and draws it.
#include "eqm/app/landscape.h"

#include <iostream>

#include "cli/verb.h"
#include "eqm/app/landscape_table.h"

namespace eqm::cli {

std::unique_ptr<Verb> landscape_verb() {
  return verb_of<LandscapeOptions>(use_named("landscape"),
                                   [](const LandscapeOptions& options, Host& host) {
                                     const LandscapeResult result = app::run(options, host);
                                     if (!result.stopped)
                                       std::cout << landscape_table(result, options);
                                     return result.stopped;
                                   });
}

}  // namespace eqm::cli
