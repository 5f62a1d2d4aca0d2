#include "eqm/measure/set_evaluation.h"

#include <algorithm>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "eqm/base/draws.h"
#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/data/batch.h"
#include "eqm/data/class_folders.h"
#include "eqm/io/text.h"
#include "eqm/measure/content_order.h"
#include "eqm/measure/inception_score.h"
#include "eqm/tensor/bridge.h"

namespace eqm {
namespace {

constexpr int64_t kRowsTogether = 4096;  // in float64 at once
constexpr int64_t kSpatialTogether = 256;

// The range that holds 90 % of the distances of resampled sets, moved to the distance of the set
// itself: rows that come twice make every resampled set a little worse.
Interval resampled_distance(const Tensor& features, const FrechetTarget& reference, double distance,
                            int64_t rounds, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> distances;
  const int64_t count = features.size(0);
  for (int64_t i = 0; i < rounds; ++i) {
    const Tensor places = torch::empty({count}, torch::kInt64);
    for (int64_t k = 0; k < count; ++k) {
      places.data_ptr<int64_t>()[k] = static_cast<int64_t>(random() % static_cast<uint64_t>(count));
    }
    distances.push_back(reference.distance(moments_of(features.index_select(0, places))));
  }
  std::ranges::sort(distances);
  const auto at = [&](double share) {
    return distances[static_cast<size_t>(share * static_cast<double>(distances.size() - 1))];
  };
  const double moved = distance - at(0.5);
  return {.low = at(0.05) + moved, .high = at(0.95) + moved};
}

// The labels of pictures as the network numbers its classes: by their names where both have some.
// Undefined when one of them is no class of the network.
Tensor asked_of(std::vector<int64_t> labels, const Source& pictures, std::vector<std::string> known,
                int64_t classes) {
  if (known.empty()) known = numbered_folders(classes);
  const std::vector<std::string>& own = pictures.class_names();
  const std::vector<int64_t> matches = match_classes(pictures, known);
  for (int64_t& label : labels) {
    const auto place = static_cast<size_t>(label);
    if (label >= 0 && !own.empty()) label = place < matches.size() ? matches[place] : -1;
    if (label < 0 || label >= classes) return {};
  }
  return torch::tensor(labels, torch::kInt64);
}

Tensor order_of(const Tensor& keys, const Tensor& features, uint64_t seed) {
  return content_order(keys.defined() ? keys : content_keys(features), seed);
}

// Of both sets in a random order. As many of each, because balls shrink as a set grows.
ManifoldScores scores_of_some(const Tensor& real, const Tensor& samples,
                              const EvaluationOptions& options) {
  if (options.manifold_rows == 0) return manifold_scores(real, samples, options.neighbours);
  const int64_t rows = std::min({options.manifold_rows, real.size(0), samples.size(0)});
  return manifold_scores(real.narrow(0, 0, rows), samples.narrow(0, 0, rows), options.neighbours);
}

}  // namespace

Moments moments_of(const Tensor& features) {
  Moments moments;
  for (int64_t first = 0; first < features.size(0); first += kRowsTogether) {
    moments.add(features.narrow(0, first, std::min(kRowsTogether, features.size(0) - first)));
  }
  return moments;
}

std::optional<FeatureSet> features_of(const FeatureNet& network, const Source& pictures,
                                      const std::function<bool(int64_t done)>& progress) {
  std::vector<Tensor> features, spatial, probabilities, labels, keys;
  std::vector<int64_t> asked;
  FeatureSet set;
  // A matrix is added to each time: better for many rows than for each few.
  const auto add_spatial = [&] {
    if (!spatial.empty()) set.spatial.add(torch::cat(spatial));
    spatial.clear();
  };
  const int64_t count = pictures.size(), together = network.at_once();
  bool whole = true;
  for_each_batch(pictures, together, [&](const Batch& batch) {
    const int64_t first = batch.indices.front();
    const Tensor pixels = to_tensor(batch.view(), batch.bytes);
    const FeatureNet::Opinion opinion = network.of(pixels);
    keys.push_back(content_keys(pixels));
    if (first == 0) {
      // All of it is kept, and there twice when the parts are put together or put in order.
      const int64_t each = opinion.features.size(1) + opinion.probabilities.size(1);
      require_memory(2.0 * static_cast<double>(count * each) * sizeof(float),
                     "lower {samples} or {reference-count}");
    }
    features.push_back(opinion.features.to(torch::kCPU, torch::kFloat32));
    probabilities.push_back(opinion.probabilities.to(torch::kCPU, torch::kFloat32));
    if (opinion.labels.defined()) labels.push_back(opinion.labels.cpu());
    if (opinion.spatial.defined()) spatial.push_back(opinion.spatial.cpu());
    if (static_cast<int64_t>(spatial.size()) * together >= kSpatialTogether) add_spatial();
    asked.insert(asked.end(), batch.labels.begin(), batch.labels.end());
    const Tensor sound = features.back().isfinite().all(1);
    if (!sound.all().item<bool>()) {
      const int64_t bad = first + sound.to(torch::kInt64).argmin().item<int64_t>();
      throw Error(
          ErrorKind::numeric,
          fmt::format("features of {} are not finite numbers", in_quotes(pictures.name_of(bad))),
          "are the weights of {features} sound?");
    }
    whole = !progress || progress(first + batch.shape.front());
    return whole;
  });
  if (!whole) return std::nullopt;
  if (features.empty()) {
    throw Error(ErrorKind::usage, "there are no pictures to measure", "give at least two");
  }
  add_spatial();
  set.features = torch::cat(features);
  set.probabilities = torch::cat(probabilities);
  set.keys = torch::cat(keys);
  if (labels.empty()) return set;
  set.labels = torch::cat(labels);
  set.asked = asked_of(asked, pictures, network.class_names(), set.probabilities.size(1));
  return set;
}

Reference reference_of(const FeatureSet& set) {
  Reference reference = {
      .features = FrechetTarget(moments_of(set.features)), .rows = set.features, .keys = set.keys};
  if (set.spatial.count() > 0) reference.spatial.emplace(set.spatial);
  return reference;
}

Evaluation evaluate(const FeatureSet& set, const Reference& reference,
                    const EvaluationOptions& options) {
  const torch::NoGradGuard guard;
  Evaluation result;
  result.count = set.features.size(0);
  const Tensor order = order_of(set.keys, set.features, options.seed);
  const Tensor features = set.features.index_select(0, order);
  result.distance = reference.features.distance(moments_of(features));
  result.distance_range = {result.distance, result.distance};
  if (options.resamplings > 0) {
    result.distance_range = resampled_distance(features, reference.features, result.distance,
                                               options.resamplings, options.seed);
  }
  if (reference.spatial && set.spatial.count() > 0) {
    result.spatial_distance = reference.spatial->distance(set.spatial);
  }
  result.inception_score =
      inception_score(set.probabilities.index_select(0, order), options.score_part);
  if (set.asked.defined()) {
    result.accuracy = (set.labels == set.asked).to(torch::kFloat64).mean().item<double>();
  }
  if (!reference.rows.defined()) return result;
  // In an order of its own: with that of the set, samples that are copies would be chosen together
  // with their originals.
  const Tensor real = reference.rows.index_select(
      0, order_of(reference.keys, reference.rows, options.seed + kReferenceOrderSeed));
  result.kernel_distance = kernel_distance_of_subsets(features, real, options.kernel_subsets,
                                                      options.kernel_size, options.seed);
  result.manifold = scores_of_some(real, features, options);
  return result;
}

Nearest nearest_features(const Tensor& rows, const Tensor& reference) {
  const torch::NoGradGuard guard;
  constexpr int64_t kRows = 512;
  std::vector<Tensor> distances, places;
  const Tensor real = reference.to(torch::kFloat64);
  for (int64_t first = 0; first < rows.size(0); first += kRows) {
    const Tensor some = rows.narrow(0, first, std::min(kRows, rows.size(0) - first));
    const auto [least, place] = torch::cdist(some.to(torch::kFloat64), real).min(1);
    distances.push_back(least);
    places.push_back(place);
  }
  return {.distances = torch::cat(distances), .places = torch::cat(places)};
}

}  // namespace eqm
