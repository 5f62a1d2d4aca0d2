#include "cli/verb.h"

namespace eqm::cli {

Verbs all_verbs() {
  Verbs verbs;
  for (const auto make :
       {landscape_verb,   train_verb,  sample_verb,     denoise_verb,    inpaint_verb,
        interpolate_verb, score_verb,  likelihood_verb, neighbours_verb, info_verb,
        encode_verb,      import_verb, export_verb,     evaluate_verb,   sweep_verb,
        reproduce_verb,   bench_verb,  doctor_verb,     list_verb,       completion_verb,
        man_verb}) {
    verbs.push_back(make());
  }
  return verbs;
}

}  // namespace eqm::cli
