// How well a model tells other data from its own: `eqm score`.
#include "eqm/app/lab/measurement_kind.h"
#include "eqm/app/score.h"

namespace eqm::app {
namespace {

// "svhn" of "data/ood/svhn.tar".
std::string short_name(const std::string& set) {
  return std::filesystem::path(set).stem().string();
}

Estimate estimate_of(const RangedValue& ranged) {
  return {.value = ranged.value, .low = ranged.range.low, .high = ranged.range.high};
}

NamedEstimates aurocs_of(const ScoreResult& result) {
  NamedEstimates numbers;
  for (const ScoredSet& set : result.sets) {
    if (set.detection)
      numbers.emplace_back(short_name(set.name), estimate_of(set.detection->auroc));
  }
  if (result.average) numbers.emplace_back("average", estimate_of(result.average->auroc));
  return numbers;
}

}  // namespace

MeasurementKind score_kind() {
  return {
      .name = "score",
      .help = "AUROC of other data against the model's own",
      .first = "average",
      .identity = identity_for<ScoreOptions>,
      .run = [](const MeasurementRequest& request, Host& host) -> std::optional<NamedEstimates> {
        const ScoreResult result = run(options_for<ScoreOptions>(request), host);
        if (result.stopped) return std::nullopt;
        return aurocs_of(result);
      }};
}

}  // namespace eqm::app
