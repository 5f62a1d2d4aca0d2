// What sampling costs and what it is worth: `eqm bench engine` and `eqm bench rules`.
#pragma once

#include <cstdint>
#include <string>

#include "bench/table_sink.h"
#include "eqm/app/quality.h"

namespace eqm::bench {

struct SamplerBench {
  std::string model = "fashion-xs4";
  app::ComparisonOptions comparison;
  int64_t samples = 512;
  int64_t rows = 64;
  int64_t seed = 0;
  double eta = 0.012, mu = 0.35;
  int64_t limit = 250;
  double threshold = 4;

  void declare(OptionSet& options);
};

// Each writes a table to `print` and answers its JSON; empty when it was interrupted.
std::string compare_engine(const SamplerBench& options, const LearnedField& field,
                           const app::QualityMeter& meter, app::Host& host, const TableSink& print);
std::string compare_rules(const SamplerBench& options, const LearnedField& field,
                          const app::QualityMeter& meter, app::Host& host, const TableSink& print);

}  // namespace eqm::bench
