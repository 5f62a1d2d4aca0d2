// Samples of a model against data: `eqm evaluate`.
#include "eqm/app/evaluate.h"
#include "eqm/app/lab/measurement_kind.h"

namespace eqm::app {
namespace {

Estimate exactly(double value) {
  return {.value = value, .low = value, .high = value};
}

NamedEstimates numbers_of(const EvaluateResult& result) {
  const Evaluation& of = result.sets.front().evaluation;
  const auto count = static_cast<double>(of.count);
  NamedEstimates numbers = {
      {"distance",
       {.value = of.distance, .low = of.distance_range.low, .high = of.distance_range.high}}};
  if (of.accuracy) numbers.emplace_back("right", share_estimate(*of.accuracy, count));
  numbers.emplace_back("evaluations", exactly(result.mean_evaluations));
  numbers.emplace_back("inception-score", exactly(of.inception_score));
  if (of.spatial_distance) numbers.emplace_back("sfid", exactly(*of.spatial_distance));
  if (of.kernel_distance) numbers.emplace_back("kid", exactly(of.kernel_distance->mean));
  if (of.manifold) {
    numbers.emplace_back("precision", share_estimate(of.manifold->precision, count));
    numbers.emplace_back("recall", share_estimate(of.manifold->recall, count));
    numbers.emplace_back("density", exactly(of.manifold->density));
    numbers.emplace_back("coverage", share_estimate(of.manifold->coverage, count));
  }
  return numbers;
}

}  // namespace

MeasurementKind evaluate_kind() {
  return {
      .name = "evaluate",
      .help = "distance of samples from data, and how many look as asked",
      .first = "distance",
      .identity = identity_for<EvaluateOptions>,
      .run = [](const MeasurementRequest& request, Host& host) -> std::optional<NamedEstimates> {
        const EvaluateResult result = run(options_for<EvaluateOptions>(request), host);
        if (result.stopped) return std::nullopt;
        return numbers_of(result);
      }};
}

}  // namespace eqm::app
