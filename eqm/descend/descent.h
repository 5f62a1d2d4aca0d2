// Descent of a whole batch by the engine, tensors in and out: every row the same rule and stop
// test, and a result of its own.
#pragma once

#include <functional>
#include <vector>

#include "eqm/descend/engine.h"

namespace eqm {

struct DescentRequest {
  Tensor start;              // [B, ...]
  Tensor labels;             // [B] int64; undefined: the null class
  std::vector<Terms> terms;  // one per row, in place of labels; empty for none
  StopTest stop;
  std::function<double(int64_t step)> clock = {};  // as in Request
  uint64_t seed = 0;                               // row b has the noise of sample first_sample + b
  int64_t first_sample = 0;
  int64_t capacity = 0;  // rows in the engine; 0 lets it choose
  std::function<void(int64_t row, const Sight&)> watch = {};
};

struct DescentResult {
  Tensor x;  // [B, ...], like the start
  std::vector<SampleRecord> samples;
  EngineCounts counts;
};

DescentResult descend(const Field& field, const Rule& rule, const DescentRequest& request);

// One row [n, ...] of a batch as a state, and back into it.
State state_of(const Tensor& batch, int64_t row);
void put_state(const State& state, Tensor& batch, int64_t row);

}  // namespace eqm
