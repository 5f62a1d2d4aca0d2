// eqm neighbours: the training images nearest to pictures, to see whether a model only remembers.
#include "eqm/app/neighbours.h"

#include <iostream>

#include "cli/verb.h"

namespace eqm::cli {

std::unique_ptr<Verb> neighbours_verb() {
  return verb_of<NeighbourOptions>(use_named("neighbours"),
                                   [](const NeighbourOptions& options, Host& host) {
                                     const NeighbourResult result = app::run(options, host);
                                     if (!result.stopped)
                                       std::cout << neighbour_table(result.findings);
                                     return result.stopped;
                                   });
}

}  // namespace eqm::cli
