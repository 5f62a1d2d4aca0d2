#include "eqm/descend/sampling.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/base/draws.h"
#include "eqm/base/error.h"
#include "eqm/tensor/noise_tensor.h"

namespace eqm {

std::function<double(int64_t step)> clock_for(const Objective& objective,
                                              const DescentOptions& resolved) {
  if (!is_flow(objective.kind) && !sees_time(objective.kind)) return {};
  std::vector<double> times;
  const Magnitude magnitude = objective.effective_magnitude();
  double time = 0;
  for (int64_t k = 0; k <= resolved.limit; ++k) {
    times.push_back(time);
    time = std::min(1.0, time + resolved.eta * magnitude(time));
  }
  return [times](int64_t step) { return times.at(static_cast<size_t>(step)); };
}

DescentResult sample(const LearnedField& field, const SamplingRequest& request) {
  const Model& model = field.model();
  if (request.labels.defined() && request.labels.size(0) != request.count) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} labels do not fit {} samples", request.labels.size(0), request.count),
        "give one label to each sample");
  }
  const DescentOptions descent = request.descent.resolved(model.objective);
  const NoiseKey first = {.seed = request.seed,
                          .sample = static_cast<uint64_t>(request.first_sample),
                          .draw = draw_start};
  DescentRequest work;
  work.start =
      normal_rows(first, request.count, model.backbone->state_shape(), options_of(*model.backbone));
  work.labels = request.labels;
  work.stop = descent.stop();
  work.clock = clock_for(model.objective, descent);
  work.seed = request.seed;
  work.first_sample = request.first_sample;
  work.watch = request.watch;
  if (request.guidance != 1) {
    if (!request.labels.defined() || field.null_label() < 0) {
      throw Error(ErrorKind::usage, "guidance needs labels and a model trained with label dropout",
                  "give --labels, or leave guidance at 1");
    }
    for (int64_t i = 0; i < request.count; ++i) {
      work.terms.push_back(guidance(request.labels[i].item<int64_t>(), request.guidance));
    }
  }
  return descend(field, make_rule(descent, model.objective), work);
}

}  // namespace eqm
