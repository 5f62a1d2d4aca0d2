// How walk and land divides the steps it may take. Both parts are needed: a walk alone ends where
// the landscape begins to sink, and that is still noise.
#pragma once

#include <cstdint>

namespace eqm {

struct LandingPlan {
  int64_t walk = 8, land = 6;

  int64_t steps() const { return walk + land; }
};

// The plan within `limit` steps: a number at its default gives way to the limit, a chosen one does
// not. What check_plan() refuses may still not fit.
LandingPlan planned_within(const LandingPlan& asked, int64_t limit);

// Plans that do not fit, and such as would end in noise, are usage errors.
void check_plan(const LandingPlan& asked, int64_t limit);

// The same for a landscape that does not sink: it is walked to its end.
LandingPlan walk_within(const LandingPlan& asked, int64_t limit);
void check_walk(const LandingPlan& asked, int64_t limit);

}  // namespace eqm
