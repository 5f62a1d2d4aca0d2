#include "eqm/descend/landing_plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

[[noreturn]] void refuse_plan(const LandingPlan& asked, int64_t limit, int64_t least) {
  throw Error(
      ErrorKind::usage,
      fmt::format("{{rule}} land takes at least {} steps with {{walk}} {} and {{land}} {}, and "
                  "{{limit}} is {}",
                  least, asked.walk, asked.land, limit),
      fmt::format("raise {{limit}} to {}, or lower {{walk}} or {{land}}", asked.steps()));
}

[[noreturn]] void refuse_limit(int64_t least, int64_t limit) {
  throw Error(ErrorKind::usage,
              fmt::format("{{rule}} land needs at least {} step{}, and {{limit}} is {}", least,
                          least == 1 ? "" : "s", limit),
              "raise {limit}, or choose {rule} nesterov");
}

}  // namespace

LandingPlan planned_within(const LandingPlan& asked, int64_t limit) {
  const LandingPlan standard;
  if (asked.land < 1) {
    throw Error(ErrorKind::usage, "{land} 0 would leave samples where the landscape begins to sink",
                "give {land} 1 or more");
  }
  if (asked.steps() <= limit) return asked;
  if (limit < 2) refuse_limit(2, limit);
  const bool own_walk = asked.walk != standard.walk, own_land = asked.land != standard.land;
  LandingPlan plan = asked;
  if (own_walk) {
    plan.land = own_land ? asked.land : limit - asked.walk;
  } else if (own_land) {
    plan.walk = limit - asked.land;
  } else {
    const double share = static_cast<double>(standard.land) / static_cast<double>(standard.steps());
    plan.land = std::max<int64_t>(1, std::lround(share * static_cast<double>(limit)));
    plan.walk = limit - plan.land;
  }
  if (plan.walk < 1 || plan.land < 1 || plan.steps() > limit) {
    refuse_plan(asked, limit, (own_walk ? asked.walk : 1) + (own_land ? asked.land : 1));
  }
  return plan;
}

LandingPlan walk_within(const LandingPlan& asked, int64_t limit) {
  const LandingPlan plan = {.walk = asked.walk, .land = 0};
  if (plan.walk <= limit) return plan;
  if (limit < 1) refuse_limit(1, limit);
  if (asked.walk != LandingPlan().walk) refuse_plan(plan, limit, plan.walk);
  return {.walk = limit, .land = 0};
}

}  // namespace eqm
