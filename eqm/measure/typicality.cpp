#include "eqm/measure/typicality.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

// Between the two nearest of sorted numbers.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<size_t>(place);
  const size_t high = std::min(low + 1, sorted.size() - 1);
  return std::lerp(sorted[low], sorted[high], place - static_cast<double>(low));
}

}  // namespace

Typicality::Typicality(std::span<const double> reference) {
  if (reference.size() < kFewestScores) {
    throw Error(ErrorKind::usage,
                fmt::format("typicality needs {} reference scores at least, and there are {}",
                            kFewestScores, reference.size()),
                "give more data: some of them are kept aside as the reference");
  }
  std::vector<double> sorted(reference.begin(), reference.end());
  if (!std::ranges::all_of(sorted, [](double score) { return std::isfinite(score); })) {
    throw Error(ErrorKind::numeric, "a reference score is not a finite number",
                "is the model trained, and are the data in the range it knows?");
  }
  std::ranges::sort(sorted);
  median_ = quantile(sorted, 0.5);
  below_ = median_ - quantile(sorted, 0.05);
  above_ = quantile(sorted, 0.95) - median_;
  // A side without spread takes the other's.
  if (below_ <= 0) below_ = above_;
  if (above_ <= 0) above_ = below_;
  if (below_ > 0) return;
  throw Error(
      ErrorKind::numeric,
      fmt::format("the reference scores are all about {}, so that none is atypical", median_),
      "is the model trained?");
}

std::vector<double> Typicality::operator()(std::span<const double> scores) const {
  std::vector<double> all;
  all.reserve(scores.size());
  for (const double score : scores) all.push_back((*this)(score));
  return all;
}

}  // namespace eqm
