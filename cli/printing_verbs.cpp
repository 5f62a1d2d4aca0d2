// Verbs that run their use and print the text of its result, and nothing else.
#include <iostream>

#include "cli/option_text.h"
#include "cli/verb.h"
#include "eqm/app/denoise.h"
#include "eqm/app/evaluate.h"
#include "eqm/app/inpaint.h"
#include "eqm/app/interpolate.h"
#include "eqm/app/likelihood.h"
#include "eqm/app/reproduce.h"
#include "eqm/app/score.h"
#include "eqm/base/option_keys.h"

namespace eqm::cli {
namespace {

template <class Options>
std::unique_ptr<Verb> printing_verb(const char* name) {
  return verb_of<Options>(use_named(name), [](const Options& options, Host& host) {
    const auto result = app::run(options, host);
    std::cout << render_keys(text_of(result), as_flag);
    return result.stopped;
  });
}

}  // namespace

std::unique_ptr<Verb> denoise_verb() {
  return printing_verb<DenoiseOptions>("denoise");
}

std::unique_ptr<Verb> inpaint_verb() {
  return printing_verb<InpaintOptions>("inpaint");
}

std::unique_ptr<Verb> interpolate_verb() {
  return printing_verb<InterpolateOptions>("interpolate");
}

std::unique_ptr<Verb> likelihood_verb() {
  return printing_verb<LikelihoodUseOptions>("likelihood");
}

std::unique_ptr<Verb> score_verb() {
  return printing_verb<ScoreOptions>("score");
}

std::unique_ptr<Verb> evaluate_verb() {
  return printing_verb<EvaluateOptions>("evaluate");
}

std::unique_ptr<Verb> reproduce_verb() {
  return printing_verb<ReproduceOptions>("reproduce");
}

}  // namespace eqm::cli
