#include "eqm/descend/sampling.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/base/draws.h"
#include "eqm/base/error.h"
#include "eqm/tensor/noise_tensor.h"

namespace eqm {
namespace {

// The times a model with a clock is shown, one per step. Where γ is shown to an EqM model, each
// step of size η moves it by η c(γ): that is how far the step goes on the way from noise to data.
Clock clock_for(const Objective& objective, const DescentOptions& descent) {
  std::vector<double> times;
  const Magnitude magnitude = objective.effective_magnitude();
  double time = 0;
  for (int64_t k = 0; k <= descent.limit; ++k) {
    times.push_back(time);
    time = std::min(1.0, time + descent.eta * magnitude(time));
  }
  return [times](int64_t step) { return times.at(static_cast<size_t>(step)); };
}

}  // namespace

DescentResult sample(const LearnedField& field, const SamplingRequest& request) {
  const Model& model = field.model();
  if (request.labels.defined() && request.labels.size(0) != request.count) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} labels do not fit {} samples", request.labels.size(0), request.count),
        "give one label to each sample");
  }
  DescentOptions descent = request.descent.resolved(model.objective.magnitude);
  DescentRequest work;
  if (is_flow(model.objective.kind)) {
    if (descent.limit < 1) throw Error(ErrorKind::usage, "a flow needs at least one step");
    descent.rule = RuleKind::gradient_descent;
    descent.eta = 1.0 / static_cast<double>(descent.limit);
    descent.threshold = 0;
  }
  if (is_flow(model.objective.kind) || sees_time(model.objective.kind)) {
    work.clock = clock_for(model.objective, descent);
  }
  const NoiseKey first = {.seed = request.seed,
                          .sample = static_cast<uint64_t>(request.first_sample),
                          .draw = draw_start};
  const torch::TensorOptions type = options_of(*model.backbone);
  work.start = normal_rows(first, request.count, model.backbone->state_shape(), type);
  work.stop = descent.stop();
  work.observe = request.observe;
  work.condition.labels = request.labels;
  if (request.guidance != 1) {
    if (!request.labels.defined() || field.null_label() < 0) {
      throw Error(ErrorKind::usage, "guidance needs labels and a model trained with label dropout",
                  "give --labels, or leave guidance at 1");
    }
    work.terms = guidance(request.labels.to(type.device()), field.null_label(), request.guidance,
                          GuidedChannels::all);
  }
  return descend(field, *make_rule(descent), work);
}

}  // namespace eqm
