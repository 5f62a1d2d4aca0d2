#include "eqm/app/sample_tally.h"

#include <cmath>

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

}  // namespace eqm::app
