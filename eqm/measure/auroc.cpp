#include "eqm/measure/auroc.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "eqm/base/error.h"

namespace eqm {
namespace {

void check(std::span<const double> scores) {
  if (scores.empty()) {
    throw Error(ErrorKind::usage, "an AUROC needs scores of both sets", "give at least one each");
  }
  if (std::ranges::all_of(scores, [](double score) { return std::isfinite(score); })) return;
  throw Error(ErrorKind::numeric, "an AUROC of scores that are not all finite numbers",
              "an earlier computation overflowed or gave NaN");
}

}  // namespace

double auroc(std::span<const double> inside, std::span<const double> outside) {
  check(inside);
  check(outside);
  std::vector<double> sorted(inside.begin(), inside.end());
  std::ranges::sort(sorted);
  // Whole numbers: two for every pair won, one for every tie.
  uint64_t halves = 0;
  for (const double score : outside) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), score);
    halves += static_cast<uint64_t>((first - sorted.begin()) + (last - sorted.begin()));
  }
  const double pairs = static_cast<double>(inside.size()) * static_cast<double>(outside.size());
  return static_cast<double>(halves) / (2 * pairs);
}

}  // namespace eqm
