// What sampling costs and what it is worth: `eqm bench engine` and `eqm bench rules`.
#pragma once

#include <string>

#include "cli/verb.h"
#include "eqm/app/quality.h"

namespace eqm::cli {

struct SamplerBench {
  std::string model = "fashion-xs4";
  ComparisonOptions comparison;
  int64_t samples = 512;
  int64_t rows = 64;
  int64_t seed = 0;
  double eta = 0.012, mu = 0.35;
  int64_t limit = 250;
  double threshold = 4;

  void declare(OptionSet& options);
};

// Each prints a table and answers its JSON; empty when it was interrupted.
std::string bench_engine(const SamplerBench& options, const LearnedField& field,
                         const QualityMeter& meter, Host& host);
std::string bench_rules(const SamplerBench& options, const LearnedField& field,
                        const QualityMeter& meter, Host& host);

}  // namespace eqm::cli
