// How atypical a score is, from either side. A landscape may place pictures that are too simple
// below its data, where a score that counts upwards takes them for typical. Here the distance from
// the median of the data's own scores counts, in units of how far their 5 % (below) or 95 % (above)
// quantile is from it: 0 at the median, 1 at either quantile, whatever the skew. Immutable.
#pragma once

#include <span>
#include <vector>

namespace eqm {

class Typicality {
 public:
  // As many make a usable quantile.
  static constexpr size_t kFewestScores = 20;

  // `reference` are scores of data that are not scored themselves. Kind usage for too few, kind
  // numeric when they are not finite or all equal.
  explicit Typicality(std::span<const double> reference);

  double operator()(double score) const {
    return score < median_ ? (median_ - score) / below_ : (score - median_) / above_;
  }
  std::vector<double> operator()(std::span<const double> scores) const;

 private:
  double median_ = 0, below_ = 0, above_ = 0;
};

}  // namespace eqm
