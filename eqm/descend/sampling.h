// Samples of a landscape, each from its own start, in the way its objective asks for: landscapes
// are descended, flows are followed over [0, 1]. One loop over the engine, and three ways to call
// it: in a stream, as tensors, and from given starts.
#pragma once

#include <vector>

#include "eqm/descend/sampling_spec.h"

namespace eqm {

// Samples in a stream: nothing is held but those under way, and those that wait for an earlier one
// or for the consumer. What `watch` or `done` throws cancels the samples that are left and comes
// out here. Returns what was done; samples cancelled before they began are not reported.
EngineCounts run_sampling(const LearnedField& field, const SamplingSpec& spec);

// The same of any field. It has no objective, so that the spec needs an own_descent.
EngineCounts run_sampling(const Field& field, const StateSpace& space, const SamplingSpec& spec);

struct DescentResult {
  Tensor x;  // [count, ...]
  std::vector<SampleRecord> samples;
  EngineCounts counts;
};

// States and how each ended, all at once.
DescentResult sample(const LearnedField& field, const SamplingSpec& spec);

// Descends from `start` [count, ...]; the result is like it. The spec's count, start and descent
// are filled in.
DescentResult descend(const Field& field, const Tensor& start, const Descent& descent,
                      SamplingSpec spec = {});

// One row [n, ...] of a batch as a state, and back into it.
State state_of(const Tensor& batch, int64_t row);
void put_state(const State& state, Tensor& batch, int64_t row);

}  // namespace eqm
