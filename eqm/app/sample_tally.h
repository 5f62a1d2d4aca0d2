// How many samples ended in which way, and what they took.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "eqm/descend/engine.h"

namespace eqm::app {

struct SampleTally {
  std::map<DescentStatus, int64_t> statuses;
  int64_t finished = 0;  // samples that came to their end, whatever it was: not cancelled
  // Sums over finished samples.
  double steps = 0, evaluations = 0;
  // Finished samples whose last gradient is finite, and the sum of its norms.
  int64_t with_norm = 0;
  double norms = 0;

  void add(const SampleRecord& record);
  int64_t count_of(DescentStatus status) const;
};

// One line per status with its count, then the means of samples that are done.
std::string tally_table(const SampleTally& tally);

}  // namespace eqm::app
