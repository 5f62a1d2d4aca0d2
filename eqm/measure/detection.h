// How well a score detects examples of other sets. The examples of `outside` are the positives, and
// a larger score means more outside. No number depends on the order of the scores. Pure functions,
// safe from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "eqm/measure/interval.h"

namespace eqm {

struct Separation {
  double auroc = 0;  // area under the ROC curve; ties count half; 0.5 by chance
  double aupr = 0;   // average precision; by chance the share of outside examples
  double fpr95 = 0;  // share of inside at or above the highest threshold that at least 95 % of
                     // outside reach; 0.95 by chance
};

// Exact, by sorting. Kind usage when a set is empty, kind numeric when a score is not finite.
Separation separation(std::span<const double> inside, std::span<const double> outside);

struct Detection {
  RangedValue auroc, aupr, fpr95;
};

struct DetectionReport {
  std::vector<Detection> sets;  // one per outside set
  Detection average;            // over the sets
};

struct DetectionOptions {
  int64_t resamplings = 1000;  // at least one
  uint64_t seed = 0;
};

// Ranges hold 90 % of resamplings (the bootstrap), in which examples of each set are drawn with
// replacement. All outside sets meet the same resampled inside set, so that the range of the
// average takes into account what they share. Sets that are separated entirely have a range of one
// point. Refuses as separation() does, and no outside set at all.
DetectionReport detect(const std::vector<double>& inside,
                       const std::vector<std::vector<double>>& outside,
                       const DetectionOptions& options = {});

}  // namespace eqm
