#include "eqm/app/sampling_progress.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace eqm::app {
namespace {

// Every step of most rules is one evaluation, or a fixed number of them.
TotalKind kind_of(const DescentOptions& descent) {
  if (row_of(descent.rule).cost == StepCost::varies) return TotalKind::estimate;
  const bool stops = descent.threshold > 0 || descent.fraction > 0 || descent.plateau > 0;
  return stops ? TotalKind::at_most : TotalKind::exact;
}

}  // namespace

SamplingProgress::SamplingProgress(Progress& progress, const std::string& what, int64_t count,
                                   const DescentOptions& descent)
    : progress_(progress), count_(count), at_first_(kind_of(descent)) {
  progress_.begin(what, 0, "evaluations");
}

void SamplingProgress::update(const EngineCounts& counts) {
  const auto left = static_cast<double>(count_ - counts.finished);
  if (counts.ways > 0) {
    // Evaluations per way: what samples take that are not done yet counts as a part of one.
    const double each = static_cast<double>(counts.evaluations) / counts.ways;
    const int64_t total = counts.finished_evaluations + std::llround(left * each);
    const bool estimated = at_first_ == TotalKind::at_most && counts.finished > 0;
    TotalKind kind = estimated ? TotalKind::estimate : at_first_;
    if (counts.finished == count_) kind = TotalKind::exact;
    progress_.expect(std::max(total, counts.evaluations), kind);
  }
  progress_.update(counts.evaluations, fmt::format("{}/{} samples", counts.finished, count_));
}

void SamplingProgress::end() {
  if (std::exchange(open_, false)) progress_.end();
}

}  // namespace eqm::app
