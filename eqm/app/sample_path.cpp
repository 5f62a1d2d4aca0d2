#include "eqm/app/sample_path.h"

#include <algorithm>

namespace eqm::app {

const State& SamplePath::at(int64_t step) const {
  const std::vector<Waypoint>& kept = states.entries();
  if (step >= end.step || kept.empty()) return end.x;
  const auto after = std::ranges::upper_bound(kept, step, {}, &Waypoint::step);
  return after == kept.begin() ? kept.front().x : (after - 1)->x;
}

const Reading* SamplePath::reading_at(int64_t step) const {
  const std::vector<Reading>& kept = readings.entries();
  const auto found = std::ranges::lower_bound(kept, step, {}, &Reading::step);
  return found == kept.end() || found->step != step ? nullptr : &*found;
}

}  // namespace eqm::app
