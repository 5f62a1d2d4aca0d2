// Descent of a batch of samples, each until its own stop (SPEC: the paper's adaptive sampling):
//
//   grad = f(probe(start))
//   while ‖grad‖ > threshold and steps < limit:  x ← step(x, grad);  grad = f(probe(x))
//
// Samples that stop leave the batch, so that the field is evaluated for active rows only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "eqm/descend/rule.h"
#include "eqm/landscape/field.h"
#include "eqm/landscape/terms.h"

namespace eqm {

enum class DescentStatus {  // in files: 0, 1, 2
  converged,                // the gradient norm fell to the threshold
  limit,                    // the step limit came first
  diverged,                 // a non-finite gradient or state; x is the last finite state
};

const char* name_of(DescentStatus status);

struct SampleRecord {
  int64_t steps = 0;  // updates; evaluations are one more
  double norm = 0;    // of the last gradient, at its probe
  DescentStatus status = DescentStatus::limit;
};

// The time shown to a time-conditional field at a step.
using Clock = std::function<double(int64_t step)>;

struct StopTest {
  double threshold =
      0;  // stop when the norm over the whole sample is at most this; 0: run to the limit
  int64_t limit = 250;
};

struct DescentRequest {
  Tensor start;                // [B, ...]
  Condition condition;         // of each row; time is set by the clock
  std::optional<Terms> terms;  // in place of the condition's labels
  StopTest stop;
  Clock clock;  // may be empty; a field that changes with time is no equilibrium: no stop by norm
  // Called after every evaluation with the step, the active rows [n], their states and gradient
  // norms.
  std::function<void(int64_t step, const Tensor& rows, const Tensor& x, const Tensor& norms)>
      observe;
};

struct DescentResult {
  Tensor x;  // [B, ...]
  std::vector<SampleRecord> samples;
};

DescentResult descend(const Field& field, const Rule& rule, const DescentRequest& request);

}  // namespace eqm
