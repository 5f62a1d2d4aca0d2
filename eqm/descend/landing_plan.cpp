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

bool has_own_walk(const LandingPlan& asked) {
  return asked.walk != LandingPlan().walk;
}

bool has_own_land(const LandingPlan& asked) {
  return asked.land != LandingPlan().land;
}

}  // namespace

LandingPlan planned_within(const LandingPlan& asked, int64_t limit) {
  if (asked.steps() <= limit) return asked;
  LandingPlan plan = asked;
  if (has_own_walk(asked)) {
    if (!has_own_land(asked)) plan.land = limit - asked.walk;
  } else if (has_own_land(asked)) {
    plan.walk = limit - asked.land;
  } else {
    const LandingPlan standard;
    const double share = static_cast<double>(standard.land) / static_cast<double>(standard.steps());
    plan.land = std::max<int64_t>(1, std::lround(share * static_cast<double>(limit)));
    plan.walk = limit - plan.land;
  }
  return plan;
}

void check_plan(const LandingPlan& asked, int64_t limit) {
  if (asked.land < 1) {
    throw Error(ErrorKind::usage, "{land} 0 would leave samples where the landscape begins to sink",
                "give {land} 1 or more");
  }
  if (asked.steps() <= limit) return;
  if (limit < 2) refuse_limit(2, limit);
  const LandingPlan plan = planned_within(asked, limit);
  if (plan.walk < 1 || plan.land < 1 || plan.steps() > limit) {
    refuse_plan(asked, limit,
                (has_own_walk(asked) ? asked.walk : 1) + (has_own_land(asked) ? asked.land : 1));
  }
}

LandingPlan walk_within(const LandingPlan& asked, int64_t limit) {
  return {.walk = has_own_walk(asked) ? asked.walk : std::min(asked.walk, limit), .land = 0};
}

void check_walk(const LandingPlan& asked, int64_t limit) {
  if (asked.walk <= limit) return;
  if (limit < 1) refuse_limit(1, limit);
  if (has_own_walk(asked)) refuse_plan({.walk = asked.walk, .land = 0}, limit, asked.walk);
}

}  // namespace eqm
