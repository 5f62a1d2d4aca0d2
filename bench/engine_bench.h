// The same samples by the same rule in three ways: a plain loop of fixed steps, the plain loop that
// masks rows which have come to rest, and the engine. The loops are what one would write by hand
// around the field, on tensors, without anything of the engine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "eqm/descend/options.h"
#include "eqm/landscape/model.h"

namespace eqm::bench {

struct EngineBench {
  int64_t samples = 512;
  int64_t rows = 64;  // at once, the same for all
  uint64_t seed = 0;
  double eta = 0.003, mu = 0.35;  // the paper's look-ahead rule
  int64_t limit = 250;
  double threshold = 0;  // where rows come to rest
};

struct WayResult {
  std::string name;
  double seconds = 0;
  int64_t evaluated = 0;  // rows that the field was computed for
  int64_t needed = 0;     // of these, rows that were not yet at rest
  Tensor x = {};          // [samples, ...]
};

// The samples have labels in turn. `step` is called now and then with the share of the work that
// is done; when it answers false, what is left is given up and the result is empty.
std::vector<WayResult> bench_engine(const LearnedField& field, const EngineBench& options,
                                    const std::function<bool(double share)>& step);

}  // namespace eqm::bench
