#include "eqm/app/training_quality.h"

#include "eqm/base/error.h"

namespace eqm::app {

void TrainingQuality::check(const Model& model, const Codec& codec) const {
  if (is_classifier(model.objective.kind)) {
    throw Error(ErrorKind::usage, "a classifier has no samples whose quality could be measured",
                "omit {quality-every}");
  }
  require_fitting(meter_.network(), model, codec);
  descent_.resolved(model.objective);
}

std::optional<MetricValues> TrainingQuality::measure(const Model& model, const Codec& codec) const {
  const LearnedField field(model);
  Contest contest = contest_;
  contest.autoencoder = codec.autoencoder();
  const auto quality = meter_.of(field, descent_, contest,
                                 [this](const EngineCounts&) { return !host_.stop_requested(); });
  if (!quality) return std::nullopt;
  MetricValues values = {{"samples_distance", quality->distance},
                         {"samples_evaluations", quality->evaluations}};
  if (quality->accuracy) values.emplace_back("samples_right", *quality->accuracy);
  return values;
}

}  // namespace eqm::app
