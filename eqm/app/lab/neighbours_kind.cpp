// Whether a model repeats its training data: how far samples, and pictures it has never seen, are
// from the nearest training image.
#include <algorithm>
#include <cmath>

#include "eqm/app/lab/measurement_kind.h"
#include "eqm/app/neighbours.h"
#include "eqm/app/sample.h"

namespace eqm::app {
namespace {

// The options of sampling, and what is searched.
struct NeighboursSetup : SampleOptions {
  std::string searched = "fashion-mnist";

  void declare(OptionSet& options) {
    options.text("searched", searched, "the training data");
    SampleOptions::declare(options);
  }
};

// Mean distance to the nearest, with its 90 % interval.
Estimate mean_distance(const Findings& findings) {
  double sum = 0, squares = 0;
  const auto count = static_cast<double>(findings.nearest.size());
  for (const auto& nearest : findings.nearest) {
    sum += nearest.front().distance;
    squares += nearest.front().distance * nearest.front().distance;
  }
  const double mean = sum / count;
  const double deviation = std::sqrt(std::max(0.0, squares / count - mean * mean));
  const double reach = 1.645 * deviation / std::sqrt(count);
  return {.value = mean, .low = mean - reach, .high = mean + reach};
}

std::optional<NamedEstimates> measure_neighbours(const MeasurementRequest& request, Host& host) {
  NeighboursSetup setup = options_for<NeighboursSetup>(request);
  setup.out = (request.out / "samples").string();
  if (run(static_cast<const SampleOptions&>(setup), host).stopped) return std::nullopt;
  NamedEstimates numbers;
  const auto search = [&](const std::string& name, const std::string& pictures) {
    NeighbourOptions options;
    options.pictures = pictures;
    options.data = setup.searched;
    options.count = setup.count;
    options.out = (request.out / name).string();
    options.runtime = request.runtime;
    const NeighbourResult result = run(options, host);
    if (!result.stopped) numbers.emplace_back(name, mean_distance(result.findings));
    return !result.stopped;
  };
  if (!search("samples", setup.out + "/pictures") || !search("unseen", setup.searched)) {
    return std::nullopt;
  }
  return numbers;
}

}  // namespace

MeasurementKind neighbours_kind() {
  return {.name = "neighbours",
          .help = "distance to the nearest training image, of samples and of unseen pictures",
          .first = "samples",
          .identity = identity_for<NeighboursSetup>,
          .run = measure_neighbours};
}

}  // namespace eqm::app
