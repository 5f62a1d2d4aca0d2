// What is wanted from a landscape: so many samples, each from its own start, of a label or a sum of
// terms, by a rule until a stop. request_of() makes an engine's request of each; everything that
// samples goes through it.
#pragma once

#include <functional>
#include <optional>

#include "eqm/descend/engine.h"
#include "eqm/descend/options.h"
#include "eqm/landscape/guidance.h"
#include "eqm/landscape/model.h"

namespace eqm {

// How a sample descends.
struct Descent {
  Rule rule;
  StopTest stop = {};
  std::function<double(int64_t step)> clock = {};  // as in Request
};

// Options as a model of this objective descends by them. Throws as validate() does.
Descent make_descent(const DescentOptions& options, const Objective& objective);

struct SamplingSpec {
  // The landscape of each sample: its label, or its own sum of terms.
  Tensor labels = {};  // [count] int64, kNullClass allowed; undefined: the null class for all
  int64_t count = 0;
  GuidanceOptions guidance = {};
  // Sample i has the noise of (seed, first_sample + i): its start, and what its rule adds.
  uint64_t seed = 0;
  int64_t first_sample = 0;
  DescentOptions descent = {};  // of a model: settled by its objective
  int64_t capacity = 0;         // rows computed at once; 0 lets the engine choose
  bool in_order = true;         // `done` has the samples in the order of their numbers
  Delivery delivery = Delivery::engine_thread;

  std::function<Terms(int64_t sample)> terms = {};  // in place of labels and guidance
  std::function<State(int64_t sample)> start = {};  // in place of noise
  std::optional<Descent> own_descent = {};          // in place of `descent`; for any field

  std::function<void(int64_t sample, const Sight&)> watch = {};  // on the thread that ticks
  std::function<void(int64_t sample, Outcome)> done = {};
  // Asked after every tick, on the thread that ticks; false cancels.
  std::function<bool(const EngineCounts&)> go_on = {};
};

// The states of a field: what one looks like, on which device and in which precision.
struct StateSpace {
  Shape shape;
  torch::TensorOptions type;
};

StateSpace states_of_model(const Model& model);

// Throws a usage error when labels or guidance do not fit the samples or the field.
void validate(const SamplingSpec& spec, const Field& field);

// Sample number `sample` of a spec. The functions of the spec are referred to and must outlive it.
Request request_of(const SamplingSpec& spec, const Descent& descent, const StateSpace& space,
                   int64_t sample);

// The noise that sample number `sample` of a seed starts from, in the precision of the states.
State starting_noise(const StateSpace& space, uint64_t seed, int64_t sample);
State starting_noise(const Model& model, uint64_t seed, int64_t sample);

}  // namespace eqm
