// Samples of a model, each from its own start, in the way its objective asks for: landscapes are
// descended, flows are followed over [0, 1].
#pragma once

#include "eqm/descend/descent.h"
#include "eqm/descend/options.h"
#include "eqm/landscape/model.h"

namespace eqm {

// Many samples in a stream: nothing is held but those under way, and those that wait for an earlier
// one where order is asked for.
struct SamplingJob {
  int64_t count = 0;
  std::function<State(int64_t sample)> start = {};  // empty: noise (seed, first_sample + sample)
  std::function<Terms(int64_t sample)> terms = {};  // empty: the null class
  uint64_t seed = 0;
  int64_t first_sample = 0;
  DescentOptions descent = {};
  int64_t capacity = 0;  // rows at once; 0 lets the engine choose
  bool in_order = true;  // samples are done in the order of their numbers
  std::function<void(int64_t sample, const Sight&)> watch = {};
  std::function<void(int64_t sample, Outcome)> done = {};
  std::function<bool(const EngineCounts&)> go_on = {};  // asked after every tick; false cancels
};

// What was done. Samples cancelled before they began are not reported.
EngineCounts run_sampling(const LearnedField& field, const SamplingJob& job);

struct SamplingRequest {
  Tensor labels;  // [n] int64; undefined: the null class
  int64_t count = 0;
  double guidance = 1;  // scale of the label's gradient beyond the null class's
  uint64_t seed = 0;    // sample i starts from noise (seed, first_sample + i)
  int64_t first_sample = 0;
  DescentOptions descent;
  std::function<void(int64_t sample, const Sight&)> watch = {};
  std::function<bool(const EngineCounts&)> go_on = {};
};

// States [n, ...] and how each ended, all at once.
DescentResult sample(const LearnedField& field, const SamplingRequest& request);

// The noise that sample number `sample` of a seed starts from.
State starting_noise(const Model& model, uint64_t seed, int64_t sample);

}  // namespace eqm
