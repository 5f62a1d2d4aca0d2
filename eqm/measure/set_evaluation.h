// All scores of a set of pictures against a reference, in the features of one network. No
// number depends on the order of either set.
#pragma once

#include <functional>
#include <optional>

#include "eqm/measure/feature_net.h"
#include "eqm/measure/interval.h"
#include "eqm/measure/kernel_distance.h"
#include "eqm/measure/manifold.h"

namespace eqm {

// What a network makes of a set, in the order of its pictures.
struct FeatureSet {
  Tensor features;       // [n, d] float32
  Moments spatial;       // of no rows for networks without such features
  Tensor probabilities;  // [n, classes] float32
  Tensor labels;         // [n] int64: what they look like; undefined where the classes are others
  Tensor asked;          // [n] int64: the labels the pictures should have; undefined for none
  Tensor keys = {};      // [n] int64, of the pictures' content (content_order.h); undefined: by the
                         // features
};

// `progress` hears how many pictures are done; false stops, and nothing comes back. Kind usage for
// no pictures, kind numeric when a feature is not finite.
std::optional<FeatureSet> features_of(const FeatureNet& network, const Source& pictures,
                                      const std::function<bool(int64_t done)>& progress);

// Float64, some rows at a time.
Moments moments_of(const Tensor& features);

// What a set is compared with.
struct Reference {
  FrechetTarget features;
  std::optional<FrechetTarget> spatial = {};
  Tensor rows =
      {};  // [m, d]: the features themselves; undefined when only their statistics are known
  Tensor keys = {};  // [m] int64, as those of a set
};
Reference reference_of(const FeatureSet& set);

struct Evaluation {
  int64_t count = 0;
  double distance = 0;                     // Fréchet
  Interval distance_range;                 // of 90 % of resamplings of the set; the reference stays
  std::optional<double> spatial_distance;  // Fréchet, of the spatial features: sFID
  double inception_score = 0;
  // These need the features of the reference, not just their statistics.
  std::optional<Spread> kernel_distance;
  std::optional<ManifoldScores> manifold;
  std::optional<double> accuracy;  // share that looks as asked
};

struct EvaluationOptions {
  int64_t resamplings = 50;  // for the range; 0 leaves it at the distance
  int64_t kernel_subsets = 20, kernel_size = 1000;
  int64_t neighbours = 3;
  int64_t score_part = 5000;
  int64_t manifold_rows = 10000;  // at most, and as many of both sets; 0 for all of either
  uint64_t seed = 0;
};

Evaluation evaluate(const FeatureSet& set, const Reference& reference,
                    const EvaluationOptions& options = {});

// For each row of features the nearest one of the reference: its distance and where it is.
struct Nearest {
  Tensor distances;  // [n] float64
  Tensor places;     // [n] int64
};
Nearest nearest_features(const Tensor& rows, const Tensor& reference);

}  // namespace eqm
