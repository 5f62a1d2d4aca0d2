#include "eqm/descend/sampling_spec.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "eqm/base/draws.h"
#include "eqm/base/error.h"

namespace eqm {
namespace {

Terms terms_of_sample(const SamplingSpec& spec, int64_t sample) {
  if (spec.terms) return spec.terms(sample);
  if (!spec.labels.defined()) return {};
  return spec.guidance.terms_of(spec.labels[sample].item<int64_t>());
}

}  // namespace

Descent make_descent(const DescentOptions& options, const Objective& objective) {
  options.validate(objective);
  const DescentOptions settled = options.resolve(objective);
  return {.rule = make_rule(settled, objective), .stop = settled.stop()};
}

StateSpace states_of_model(const Model& model) {
  return {.shape = model.backbone->state_shape(), .type = options_of(*model.backbone)};
}

void validate(const SamplingSpec& spec, const Field& field) {
  if (spec.labels.defined() && spec.labels.size(0) != spec.count) {
    throw Error(ErrorKind::usage,
                fmt::format("{} labels do not fit {} samples", spec.labels.size(0), spec.count),
                "give one label to each sample");
  }
  if (spec.guidance.guides() && !spec.terms && (!spec.labels.defined() || field.null_label() < 0)) {
    throw Error(ErrorKind::usage, "guidance needs labels and a model trained with label dropout",
                "name classes by {labels}, or leave {guidance} at 1");
  }
}

Request request_of(const SamplingSpec& spec, const Descent& descent, const StateSpace& space,
                   int64_t sample) {
  const int64_t number = spec.first_sample + sample;
  Request request = {
      .start = spec.start ? spec.start(sample) : starting_noise(space, spec.seed, number),
      .terms = terms_of_sample(spec, sample),
      .rule = descent.rule,
      .stop = descent.stop,
      .noise = {.seed = spec.seed, .sample = static_cast<uint64_t>(number)},
      .clock = descent.clock};
  if (spec.watch) {
    request.watch = [&watch = spec.watch, sample](const Sight& sight) { watch(sample, sight); };
  }
  if (spec.done) {
    request.done = [&done = spec.done, sample](Outcome outcome) {
      done(sample, std::move(outcome));
    };
  }
  return request;
}

State starting_noise(const StateSpace& space, uint64_t seed, int64_t sample) {
  const auto size =
      std::accumulate(space.shape.begin(), space.shape.end(), int64_t{1}, std::multiplies<>());
  State noise(static_cast<size_t>(size));
  const NoiseKey key = {.seed = seed, .sample = static_cast<uint64_t>(sample), .draw = draw_start};
  // As the states' own precision has it, so that it is the same start whoever asks.
  if (space.type.dtype() == torch::kFloat64) {
    fill_normal(key, std::span<double>(&noise[0], noise.size()));
    return noise;
  }
  std::vector<float> narrow(noise.size());
  fill_normal(key, std::span<float>(narrow));
  std::copy(narrow.begin(), narrow.end(), std::begin(noise));
  return noise;
}

State starting_noise(const Model& model, uint64_t seed, int64_t sample) {
  return starting_noise(states_of_model(model), seed, sample);
}

}  // namespace eqm
