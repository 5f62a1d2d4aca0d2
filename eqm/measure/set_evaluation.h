// All that is told about a set of pictures beside a reference, in the features of one judge.
#pragma once

#include <functional>
#include <optional>

#include "eqm/measure/judge.h"
#include "eqm/measure/kernel_distance.h"
#include "eqm/measure/manifold.h"

namespace eqm {

// What a judge makes of a set, in the order of its pictures.
struct FeatureSet {
  Tensor features;       // [n, d] float32
  Tensor probabilities;  // [n, classes] float32
  Tensor asked;          // [n] int64: the labels the pictures should have; undefined for none
};

// `progress` hears how many pictures are done; false stops, and nothing comes back.
std::optional<FeatureSet> features_of(const Judge& judge, const Source& pictures,
                                      const std::function<bool(int64_t done)>& progress);

struct Interval {
  double low = 0, high = 0;
};

struct Evaluation {
  int64_t count = 0;
  double distance = 0;      // Fréchet
  Interval distance_range;  // of 90 % of resamplings of the set; the reference stays
  Spread kernel_distance;
  double inception_score = 0;
  ManifoldScores manifold;
  std::optional<double> accuracy;  // share that looks as asked
};

struct EvaluationOptions {
  int64_t resamplings = 50;  // for the range; 0 leaves it at the distance
  int64_t kernel_subsets = 20, kernel_size = 1000;
  int64_t neighbours = 3;
  int64_t score_part = 5000;
  int64_t manifold_rows = 10000;  // at most; as many of both sets
  uint64_t seed = 0;
};

Evaluation evaluate(const FeatureSet& set, const FeatureSet& reference,
                    const EvaluationOptions& options = {});

// For each row of features the nearest one of the reference: its distance and where it is.
struct Nearest {
  Tensor distances;  // [n] float64
  Tensor places;     // [n] int64
};
Nearest nearest_features(const FeatureSet& set, const FeatureSet& reference);

}  // namespace eqm
