#include "cli/verb.h"

namespace eqm::cli {

std::vector<std::unique_ptr<Verb>> all_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(landscape_verb());
  verbs.push_back(train_verb());
  verbs.push_back(sample_verb());
  verbs.push_back(denoise_verb());
  verbs.push_back(score_verb());
  verbs.push_back(neighbours_verb());
  verbs.push_back(info_verb());
  verbs.push_back(encode_verb());
  verbs.push_back(import_verb());
  verbs.push_back(export_verb());
  verbs.push_back(evaluate_verb());
  verbs.push_back(sweep_verb());
  verbs.push_back(bench_verb());
  verbs.push_back(doctor_verb());
  verbs.push_back(list_verb());
  verbs.push_back(completion_verb());
  verbs.push_back(man_verb());
  return verbs;
}

}  // namespace eqm::cli
