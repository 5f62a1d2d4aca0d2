#include "eqm/app/sample_tally.h"

#include <cmath>

#include <fmt/format.h>

namespace eqm::app {

void SampleTally::add(const SampleRecord& record) {
  ++statuses[record.status];
  if (!is_finished(record.status)) return;
  ++finished;
  steps += static_cast<double>(record.steps);
  evaluations += static_cast<double>(record.evaluations);
  if (!std::isfinite(record.norm)) return;
  ++with_norm;
  norms += record.norm;
}

int64_t SampleTally::count_of(DescentStatus status) const {
  const auto found = statuses.find(status);
  return found == statuses.end() ? 0 : found->second;
}

std::string tally_table(const SampleTally& tally) {
  std::string text;
  for (const auto& [status, count] : tally.statuses) {
    text += fmt::format("{:<18} {} sample{}\n", name_of(status), count, count == 1 ? "" : "s");
  }
  const auto finished = static_cast<double>(tally.finished);
  if (tally.finished > 0) {
    text += fmt::format("{:<18} {:.1f}\n", "mean steps", tally.steps / finished);
    text += fmt::format("{:<18} {:.1f}\n", "mean evaluations", tally.evaluations / finished);
  }
  if (tally.with_norm > 0) {
    text += fmt::format("{:<18} {:.3g}\n", "mean last norm",
                        tally.norms / static_cast<double>(tally.with_norm));
  }
  return text;
}

}  // namespace eqm::app
