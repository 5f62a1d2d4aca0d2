// eqm sample: draws samples from a model.
#include "eqm/app/sample.h"

#include <iostream>

#include "cli/verb.h"

namespace eqm::cli {

std::unique_ptr<Verb> sample_verb() {
  return verb_of<SampleOptions>(use_named("sample"), [](const SampleOptions& options, Host& host) {
    const SampleResult result = app::run(options, host);
    if (!result.kept_earlier) std::cout << tally_table(result.tally);
    require_some_sound(result);
    return result.stopped;
  });
}

}  // namespace eqm::cli
