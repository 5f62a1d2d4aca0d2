#include "eqm/descend/options.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/descend/landing_plan.h"
#include "eqm/descend/rules/rules.h"
#include "eqm/descend/shown_gamma.h"

namespace eqm {
namespace {

constexpr double kMostStretch = 20;  // of a Barzilai-Borwein step over η

// Rules that normalise gradients move every number by about η a step, however steep it is: they
// need to go further than noise and data are apart, and shorter and shorter steps to come to rest.
constexpr double kNormalisedReach = 6;

bool normalises(RuleKind rule) {
  return rule == RuleKind::adam || rule == RuleKind::rmsprop;
}

// Whose velocity adds up to η/(1-μ) times the gradient.
bool has_velocity(RuleKind rule) {
  return rule == RuleKind::nesterov_velocity || rule == RuleKind::heavy_ball;
}

// Whose steps tell how far on the way from noise to data they go: sums of gradients with weights
// that do not depend on them.
bool can_tell_gamma(RuleKind rule) {
  return rule == RuleKind::gradient_descent || rule == RuleKind::nesterov || has_velocity(rule) ||
         rule == RuleKind::langevin || rule == RuleKind::walk_and_land;
}

bool is_sde(RuleKind rule) {
  return rule == RuleKind::sde_euler || rule == RuleKind::sde_heun;
}

// Whether a rule does anything with an option.
bool uses(RuleKind rule, const std::string& option) {
  if (option == "eta" || option == "step-schedule") {
    return !is_integrator(rule) && rule != RuleKind::walk_and_land;
  }
  if (option == "mu") return rule == RuleKind::nesterov || has_velocity(rule);
  if (option == "mean-decay") return rule == RuleKind::adam;
  if (option == "square-decay") return normalises(rule);
  if (option == "temperature") return rule == RuleKind::langevin;
  if (option == "walk" || option == "land" || option == "glide" || option == "walk-order") {
    return rule == RuleKind::walk_and_land;
  }
  if (option == "atol" || option == "rtol") return rule == RuleKind::dopri5;
  if (option == "diffusion" || option == "last-step") return is_sde(rule);
  return true;
}

// Whether the settled options make anything of the limit that was asked for: walk and land takes
// as many steps as it was planned with.
bool reaches_limit(const DescentOptions& settled, int64_t limit) {
  return settled.rule != RuleKind::walk_and_land || settled.limit == limit;
}

// A γ-conditioned model returns zero beyond the data, so landings must not overshoot: each goes
// half-way, the last all the way.
double shown_glide(double asked) {
  constexpr double kHalfWay = 0.5;
  if (asked <= 1) return asked;
  if (asked == DescentOptions().glide) return kHalfWay;
  throw Error(ErrorKind::usage,
              fmt::format("a glide of {} goes beyond the data, where a model that is shown γ "
                          "answers nothing that leads back",
                          asked),
              "choose a {glide} of at most 1; without one it is 0.5 for such models");
}

constexpr double kNearTheEnd = 1e-3;  // of time, where a diffusion is infinite or a score is none

}  // namespace

const Names<RuleKind>& rule_names() {
  static const Names<RuleKind> names = {{"auto", RuleKind::automatic},
                                        {"gd", RuleKind::gradient_descent},
                                        {"nesterov", RuleKind::nesterov},
                                        {"nesterov-velocity", RuleKind::nesterov_velocity},
                                        {"heavy-ball", RuleKind::heavy_ball},
                                        {"adam", RuleKind::adam},
                                        {"rmsprop", RuleKind::rmsprop},
                                        {"barzilai-borwein", RuleKind::barzilai_borwein},
                                        {"langevin", RuleKind::langevin},
                                        {"backtracking", RuleKind::backtracking},
                                        {"land", RuleKind::walk_and_land},
                                        {"euler", RuleKind::euler},
                                        {"heun", RuleKind::heun},
                                        {"midpoint", RuleKind::midpoint},
                                        {"rk4", RuleKind::rk4},
                                        {"rk4-classical", RuleKind::rk4_classical},
                                        {"dopri5", RuleKind::dopri5},
                                        {"sde-euler", RuleKind::sde_euler},
                                        {"sde-heun", RuleKind::sde_heun}};
  return names;
}

bool is_integrator(RuleKind rule) {
  return rule >= RuleKind::euler;
}

void DescentOptions::declare(OptionSet& options) {
  options.choice("rule", rule, rule_names(),
                 "update rule; auto is land, or euler for flows; nesterov where {eta}, {mu}, "
                 "{step-schedule} or a stop is given");
  options.number(
      "eta", eta, Range::between(0, 1e30),
      "step size η; 0 chooses 3/(λ·limit), 1-μ of it for rules with velocity, 6/limit for adam "
      "and rmsprop");
  options.choice(
      "step-schedule", schedule, step_schedule_names(),
      "how η changes from step to step; auto is constant, but linear for adam and rmsprop");
  options.number("mu", mu, Range::between(0, 1), "look-ahead or momentum μ");
  options.number("mean-decay", beta1, Range::between(0, 0.9999), "adam's mean of gradients");
  options.number("square-decay", beta2, Range::between(0, 0.9999),
                 "adam's and rmsprop's mean of squares");
  options.number("temperature", temperature, Range::at_least(0), "of langevin's noise");
  options.count("walk", walk, Range::between(1, 100000), "land: steps over the flat part");
  options.count("land", land, Range::between(0, 100000),
                "land: landing steps; the defaults of both shrink to fit {limit}");
  options.number("glide", glide, {.least = 0, .most = 2, .above = true},
                 "land: how much of the way down a landing step goes, but for the last; 0.5 for "
                 "models that are shown γ");
  options.count("walk-order", walk_order, Range::between(1, 2),
                "land: 2 walks with the bend of the way, 1 straight on");
  options.number("atol", atol, {.least = 0, .most = 1e6, .above = true}, "dopri5: absolute error");
  options.number("rtol", rtol, {.least = 0, .most = 1e6, .above = true}, "dopri5: relative error");
  options.choice("diffusion", diffusion, diffusion_names(), "sde-*: how strong the noise is");
  options.choice("last-step", last_step, last_step_names(), "sde-*: how the last 0.04 are gone");
  options.count("limit", limit, Range::between(0, 1'000'000), "most steps of a sample");
  options.number("threshold", threshold, Range::at_least(0),
                 "a sample stops when its gradient norm is at most this");
  options.number("fraction", fraction, Range::between(0, 0.9999),
                 "a sample stops when its gradient norm is at most this part of its first");
  options.count(
      "plateau", plateau, Range::between(0, 1'000'000),
      "a sample stops after so many steps without a smaller norm, once it has fallen to half; "
      "0 for never");
}

DescentOptions DescentOptions::resolved(const Objective& objective) const {
  DescentOptions settled = *this;
  const bool flow = is_flow(objective.kind);
  settled.rule = settled_rule(objective);
  if (is_integrator(settled.rule)) {
    settled.check_integrator(objective);
    return settled;
  }
  const std::string name = name_in(rule_names(), settled.rule);
  if (flow) {
    throw Error(ErrorKind::usage, fmt::format("a flow has no bottom to descend to by {}", name),
                "choose an integrator: euler, heun, midpoint, rk4, dopri5, sde-euler");
  }
  if (sees_time(objective.kind) && !can_tell_gamma(settled.rule)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} cannot tell the model how far on the way a sample is", name),
                "for a model that is shown γ choose land, gd, nesterov, heavy-ball, langevin or an "
                "integrator");
  }
  if (settled.rule == RuleKind::backtracking && !has_energy(objective.kind)) {
    throw Error(ErrorKind::usage, "backtracking compares energies, and the model has none",
                "use it with an eqm-dot or eqm-l2 model, or choose another rule");
  }
  if (settled.rule == RuleKind::backtracking && schedule != StepSchedule::automatic &&
      schedule != StepSchedule::constant) {
    throw Error(ErrorKind::usage, "backtracking finds its step sizes itself and takes no schedule",
                "omit {step-schedule}");
  }
  const bool normalised = normalises(settled.rule);
  const auto steps = static_cast<double>(std::max<int64_t>(1, limit));
  if (eta == 0) {
    const double reach =
        normalised ? kNormalisedReach : 3 / std::max(1e-9, objective.magnitude.lambda);
    settled.eta = reach / steps;
    if (has_velocity(settled.rule)) settled.eta *= std::max(0.01, 1 - mu);
  }
  if (schedule == StepSchedule::automatic) {
    settled.schedule = normalised ? StepSchedule::linear : StepSchedule::constant;
  }
  if (settled.rule == RuleKind::walk_and_land) {
    const bool flat = objective.magnitude.kind == MagnitudeKind::constant;
    const LandingPlan asked = {.walk = walk, .land = land};
    const LandingPlan plan = flat ? walk_within(asked, limit) : planned_within(asked, limit);
    if (sees_time(objective.kind)) settled.glide = shown_glide(glide);
    settled.walk = plan.walk;
    settled.land = plan.land;
    settled.limit = plan.steps();
  }
  return settled;
}

RuleKind DescentOptions::settled_rule(const Objective& objective) const {
  if (rule != RuleKind::automatic) return rule;
  if (is_flow(objective.kind)) return RuleKind::euler;
  const bool stops = !sees_time(objective.kind) && (threshold > 0 || fraction > 0 || plateau > 0);
  const bool steps = eta != 0 || mu != DescentOptions().mu || schedule != StepSchedule::automatic;
  return steps || stops ? RuleKind::nesterov : RuleKind::walk_and_land;
}

std::vector<std::string> DescentOptions::unused(const Objective& objective) const {
  const DescentOptions settled = resolved(objective);
  const bool rests = !sees_time(objective.kind) && !is_integrator(settled.rule);
  DescentOptions own = *this, standard;
  OptionSet own_set, standard_set;
  own.declare(own_set);
  standard.declare(standard_set);
  std::vector<std::string> names;
  for (size_t i = 0; i < own_set.options().size(); ++i) {
    const Option& option = own_set.options()[i];
    const bool changed = option.get() != standard_set.options()[i].get();
    const bool stops =
        option.name == "threshold" || option.name == "fraction" || option.name == "plateau";
    const bool used = option.name == "limit" ? reaches_limit(settled, limit)
                      : stops                ? rests
                                             : uses(settled.rule, option.name);
    if (changed && !used) names.push_back(option.name);
  }
  return names;
}

void DescentOptions::check_integrator(const Objective& objective) const {
  if (limit < 1) {
    throw Error(ErrorKind::usage, "an integrator needs at least one step", "raise {limit}");
  }
  if (eta != 0) {
    throw Error(ErrorKind::usage, "an integrator divides its time evenly and takes no {eta}",
                "choose the number of its steps by {limit}");
  }
  if (threshold > 0 || fraction > 0 || plateau > 0) {
    throw Error(ErrorKind::usage, "an integrator goes to the end of its time and rests nowhere",
                "omit {threshold}, {fraction} and {plateau}");
  }
  if (is_sde(rule) && objective.kind != ObjectiveKind::fm) {
    throw Error(ErrorKind::usage, "an SDE needs a flow that sees time (fm), to know its score",
                "choose another rule; langevin adds noise to any landscape");
  }
}

std::string DescentOptions::described() const {
  std::string text = name_in(rule_names(), rule);
  const auto say = [&](const char* name, auto value) {
    text += fmt::format(" {} {}", name, value);
  };
  switch (rule) {
    case RuleKind::walk_and_land:
      say("walk", walk);
      say("land", land);
      say("glide", glide);
      say("order", walk_order);
      break;
    case RuleKind::dopri5:
      say("atol", atol);
      say("rtol", rtol);
      return text;
    case RuleKind::sde_euler:
    case RuleKind::sde_heun:
      say("diffusion", name_in(diffusion_names(), diffusion));
      say("last-step", name_in(last_step_names(), last_step));
      break;
    default:
      break;
  }
  if (is_integrator(rule)) {
    say("steps", limit);
    return text;
  }
  if (rule != RuleKind::walk_and_land) {
    say("eta", fmt::format("{:.6g}", eta));
    if (schedule != StepSchedule::constant) {
      say("schedule", name_in(step_schedule_names(), schedule));
    }
  }
  if (uses(rule, "mu")) say("mu", mu);
  if (uses(rule, "mean-decay")) say("mean-decay", beta1);
  if (uses(rule, "square-decay")) say("square-decay", beta2);
  if (uses(rule, "temperature")) say("temperature", temperature);
  if (rule != RuleKind::walk_and_land) say("limit", limit);
  if (threshold > 0) say("threshold", threshold);
  if (fraction > 0) say("fraction", fraction);
  if (plateau > 0) say("plateau", plateau);
  return text;
}

StopTest DescentOptions::stop() const {
  const int64_t last =
      is_sde(rule) && last_step != LastStep::none ? 1 : 0;  // comes after the noisy ones
  return {.threshold = threshold, .fraction = fraction, .plateau = plateau, .limit = limit + last};
}

namespace {

// For a field that is shown nothing, or time.
Rule plain_rule(const DescentOptions& options, const Objective& objective) {
  const StepSize eta(options.eta, options.schedule, options.limit);
  switch (options.rule) {
    case RuleKind::gradient_descent:
      return gradient_descent(eta);
    case RuleKind::automatic:
    case RuleKind::nesterov:
      return nesterov_look_ahead(eta, options.mu);
    case RuleKind::nesterov_velocity:
      return nesterov_velocity(eta, options.mu);
    case RuleKind::heavy_ball:
      return heavy_ball(eta, options.mu);
    case RuleKind::adam:
      return adam(eta, options.beta1, options.beta2);
    case RuleKind::rmsprop:
      return rmsprop(eta, options.beta2);
    case RuleKind::barzilai_borwein:
      return barzilai_borwein(eta, kMostStretch);
    case RuleKind::langevin:
      return langevin(eta, options.temperature);
    case RuleKind::backtracking:
      return backtracking(eta);
    case RuleKind::walk_and_land:
      return walk_and_land({.magnitude = objective.effective_magnitude(),
                            .walk = options.walk,
                            .land = options.land,
                            .glide = options.glide,
                            .order = options.walk_order});
    case RuleKind::euler:
      return runge_kutta(RungeKutta::euler, options.limit);
    case RuleKind::heun:
      return runge_kutta(RungeKutta::heun, options.limit);
    case RuleKind::midpoint:
      return runge_kutta(RungeKutta::midpoint, options.limit);
    case RuleKind::rk4:
      return runge_kutta(RungeKutta::rk4, options.limit);
    case RuleKind::rk4_classical:
      return runge_kutta(RungeKutta::rk4_classical, options.limit);
    case RuleKind::dopri5:
      return dopri5({.atol = options.atol, .rtol = options.rtol});
    case RuleKind::sde_euler:
    case RuleKind::sde_heun:
      return sde({.form = options.diffusion,
                  .method = options.rule == RuleKind::sde_heun ? SdeMethod::heun : SdeMethod::euler,
                  .steps = options.limit,
                  .t0 = options.diffusion == DiffusionForm::sbdm ? kNearTheEnd : 0,
                  .t1 = options.last_step == LastStep::none ? 1 - kNearTheEnd : Sde().t1,
                  .last = options.last_step});
  }
  throw Error(ErrorKind::internal, "a rule without a maker");
}

}  // namespace

Rule make_rule(const DescentOptions& options, const Objective& objective) {
  Rule rule = plain_rule(options, objective);
  if (objective.kind != ObjectiveKind::eqm_noise_condition) return rule;
  if (options.rule != RuleKind::walk_and_land) return with_gamma(rule, objective.magnitude);
  rule.field_changes = true;  // it counts γ itself
  return rule;
}

}  // namespace eqm
