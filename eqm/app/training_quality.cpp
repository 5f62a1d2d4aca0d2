#include "eqm/app/training_quality.h"

#include "eqm/base/error.h"

namespace eqm::app {

Measurement quality_measurement(QualityMeter meter, const DescentOptions& descent,
                                const Contest& contest, int64_t every, const Host& host) {
  const auto shared = std::make_shared<const QualityMeter>(std::move(meter));
  const auto validate = [=](const Snapshot& untrained) {
    const Model& model = untrained.model;
    if (is_classifier(model.objective.kind)) {
      throw Error(ErrorKind::usage, "a classifier has no samples whose quality could be measured",
                  "omit {quality-every}");
    }
    require_fitting(shared->network(), model, untrained.codec);
    descent.validate(model.objective);
    require_labels(contest.labels, contest.guidance, LearnedField(model));
  };
  const auto measure = [=, &host](const Snapshot& snapshot) -> std::optional<MeasurementOutput> {
    const auto quality = shared->of(LearnedField(snapshot.model), snapshot.codec, descent, contest,
                                    [&](const EngineCounts&) { return !host.stop_requested(); });
    if (!quality) return std::nullopt;
    MeasurementOutput output = {.values = {{"samples_distance", quality->distance},
                                           {"samples_evaluations", quality->evaluations}}};
    if (quality->accuracy) output.values.emplace_back("samples_right", *quality->accuracy);
    return output;
  };
  return {.name = "samples_distance", .every = every, .measure = measure, .validate = validate};
}

}  // namespace eqm::app
