#include "cli/training_quality.h"

#include "cli/interrupt.h"
#include "eqm/base/error.h"

namespace eqm::cli {

void TrainingQuality::check(const Model& model, const Codec& codec) const {
  if (is_classifier(model.objective.kind)) {
    throw Error(ErrorKind::usage, "a classifier has no samples whose quality could be measured",
                "leave --quality-every away");
  }
  require_fitting(meter_.network(), model, codec);
  descent_.resolved(model.objective);
}

std::optional<MetricValues> TrainingQuality::measure(const Model& model, const Codec& codec) const {
  const LearnedField field(model);
  Contest contest = contest_;
  contest.autoencoder = codec.autoencoder();
  const auto quality = meter_.of(field, descent_, contest,
                                 [](const EngineCounts&) { return interrupt_requested() == 0; });
  if (!quality) return std::nullopt;
  MetricValues values = {{"samples_distance", quality->distance},
                         {"samples_evaluations", quality->evaluations}};
  if (quality->accuracy) values.emplace_back("samples_right", *quality->accuracy);
  return values;
}

}  // namespace eqm::cli
