#include "eqm/measure/set_evaluation.h"

#include <algorithm>
#include <random>
#include <vector>

#include "eqm/data/batch.h"
#include "eqm/measure/inception_score.h"
#include "eqm/tensor/bridge.h"

namespace eqm {
namespace {

constexpr int64_t kPictures = 256;

Moments moments_of(const Tensor& features) {
  Moments moments;
  moments.add(features);
  return moments;
}

// The range that holds 90 % of the distances of resampled sets, moved to the distance of the set
// itself: rows that come twice make every resampled set a little worse.
Interval resampled_distance(const Tensor& features, const Moments& reference, double distance,
                            int64_t rounds, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> distances;
  const int64_t count = features.size(0);
  for (int64_t i = 0; i < rounds; ++i) {
    const Tensor places = torch::empty({count}, torch::kInt64);
    for (int64_t k = 0; k < count; ++k) {
      places.data_ptr<int64_t>()[k] = static_cast<int64_t>(random() % static_cast<uint64_t>(count));
    }
    distances.push_back(frechet_distance(moments_of(features.index_select(0, places)), reference));
  }
  std::ranges::sort(distances);
  const auto at = [&](double share) {
    return distances[static_cast<size_t>(share * static_cast<double>(distances.size() - 1))];
  };
  const double moved = distance - at(0.5);
  return {.low = at(0.05) + moved, .high = at(0.95) + moved};
}

// At most so many rows, evenly spread.
Tensor some_rows(const Tensor& rows, int64_t most) {
  if (rows.size(0) <= most) return rows;
  const Tensor places = (torch::arange(most, torch::kFloat64) *
                         (static_cast<double>(rows.size(0)) / static_cast<double>(most)))
                            .to(torch::kInt64);
  return rows.index_select(0, places);
}

}  // namespace

std::optional<FeatureSet> features_of(const Judge& judge, const Source& pictures,
                                      const std::function<bool(int64_t done)>& progress) {
  std::vector<Tensor> features, probabilities;
  std::vector<int64_t> asked;
  const int64_t count = pictures.size();
  for (int64_t first = 0; first < count; first += kPictures) {
    const Batch batch = read_batch(pictures, first, std::min(kPictures, count - first));
    const Judge::Opinion opinion = judge.of(to_tensor(batch.view(), batch.bytes));
    features.push_back(opinion.features.to(torch::kCPU, torch::kFloat32));
    probabilities.push_back(opinion.probabilities.to(torch::kCPU, torch::kFloat32));
    asked.insert(asked.end(), batch.labels.begin(), batch.labels.end());
    if (progress && !progress(first + batch.shape.front())) return std::nullopt;
  }
  FeatureSet set = {
      .features = torch::cat(features), .probabilities = torch::cat(probabilities), .asked = {}};
  const bool known = std::ranges::all_of(
      asked, [&](int64_t label) { return label >= 0 && label < set.probabilities.size(1); });
  if (known) set.asked = torch::tensor(asked, torch::kInt64);
  return set;
}

Evaluation evaluate(const FeatureSet& set, const FeatureSet& reference,
                    const EvaluationOptions& options) {
  const torch::NoGradGuard guard;
  const Moments real = moments_of(reference.features);
  Evaluation result;
  result.count = set.features.size(0);
  result.distance = frechet_distance(moments_of(set.features), real);
  result.distance_range = {result.distance, result.distance};
  if (options.resamplings > 0) {
    result.distance_range =
        resampled_distance(set.features, real, result.distance, options.resamplings, options.seed);
  }
  result.kernel_distance = kernel_distance_of_subsets(
      set.features, reference.features, options.kernel_subsets, options.kernel_size, options.seed);
  result.inception_score = inception_score(set.probabilities, options.score_part);
  // As many of each: balls shrink as a set grows.
  const int64_t rows = std::min({options.manifold_rows, result.count, reference.features.size(0)});
  result.manifold = manifold_scores(some_rows(reference.features, rows),
                                    some_rows(set.features, rows), options.neighbours);
  if (set.asked.defined()) {
    result.accuracy =
        (set.probabilities.argmax(1) == set.asked).to(torch::kFloat64).mean().item<double>();
  }
  return result;
}

Nearest nearest_features(const FeatureSet& set, const FeatureSet& reference) {
  const torch::NoGradGuard guard;
  constexpr int64_t kRows = 512;
  std::vector<Tensor> distances, places;
  const Tensor real = reference.features.to(torch::kFloat64);
  for (int64_t first = 0; first < set.features.size(0); first += kRows) {
    const Tensor some =
        set.features.narrow(0, first, std::min(kRows, set.features.size(0) - first));
    const auto [least, place] = torch::cdist(some.to(torch::kFloat64), real).min(1);
    distances.push_back(least);
    places.push_back(place);
  }
  return {.distances = torch::cat(distances), .places = torch::cat(places)};
}

}  // namespace eqm
