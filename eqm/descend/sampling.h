// Samples of a model, each from its own noise, in the way its objective asks for: landscapes are
// descended, flows are followed over [0, 1].
#pragma once

#include "eqm/descend/descent.h"
#include "eqm/descend/options.h"
#include "eqm/landscape/model.h"

namespace eqm {

struct SamplingRequest {
  Tensor labels;  // [n] int64; undefined: the null class
  int64_t count = 0;
  double guidance = 1;  // scale of the label's gradient beyond the null class's
  uint64_t seed = 0;    // sample i starts from noise (seed, first_sample + i)
  int64_t first_sample = 0;
  DescentOptions descent;  // flows take `limit` Euler steps of 1/limit
  std::function<void(int64_t sample, const Sight&)> watch = {};
};

// States [n, ...] and how each ended.
DescentResult sample(const LearnedField& field, const SamplingRequest& request);

// The times that a model which sees γ is shown, one per step; empty for one that does not. Each
// step of size η moves γ by η c(γ): that is how far it goes on the way from noise to data.
std::function<double(int64_t step)> clock_for(const Objective& objective,
                                              const DescentOptions& resolved);

}  // namespace eqm
