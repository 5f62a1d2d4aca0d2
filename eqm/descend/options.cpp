#include "eqm/descend/options.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/descend/rules/rules.h"

namespace eqm {
namespace {

constexpr double kMostStretch = 20;  // of a Barzilai-Borwein step over η

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
  options.choice("rule", rule, rule_names(), "update rule; auto is nesterov, or euler for flows");
  options.number("eta", eta, Range::between(0, 1e30), "step size η; 0 chooses 3/(λ·limit)");
  options.choice("step-schedule", schedule, step_schedule_names(),
                 "how η changes from step to step");
  options.number("mu", mu, Range::between(0, 1), "look-ahead or momentum μ");
  options.number("mean-decay", beta1, {.least = 0, .most = 1}, "adam's mean of gradients");
  options.number("square-decay", beta2, {.least = 0, .most = 1},
                 "adam's and rmsprop's mean of squares");
  options.number("temperature", temperature, Range::at_least(0), "of langevin's noise");
  options.count("walk", walk, Range::between(1, 100000), "land: steps over the flat part");
  options.count("land", land, Range::between(0, 100000), "land: landing steps");
  options.number("glide", glide, {.least = 0, .most = 2, .above = true},
                 "land: how much of the way down a landing step goes, but for the last");
  options.count("walk-order", walk_order, Range::between(1, 2),
                "land: 2 walks with the bend of the way, 1 straight on");
  options.number("atol", atol, {.least = 0, .most = 1e6, .above = true}, "dopri5: absolute error");
  options.number("rtol", rtol, {.least = 0, .most = 1e6, .above = true}, "dopri5: relative error");
  options.choice("diffusion", diffusion, diffusion_names(), "sde-*: how strong the noise is");
  options.choice("last-step", last_step, last_step_names(), "sde-*: how the last 0.04 are gone");
  options.count("limit", limit, Range::between(0, 1'000'000), "most steps of a sample");
  options.number("threshold", threshold, Range::at_least(0),
                 "a sample stops when its gradient norm is at most this");
  options.number("fraction", fraction, {.least = 0, .most = 1},
                 "a sample stops when its gradient norm is at most this part of its first");
  options.count("plateau", plateau, Range::between(0, 1'000'000),
                "a sample stops after so many steps without a smaller norm; 0 for never");
}

DescentOptions DescentOptions::resolved(const Objective& objective) const {
  DescentOptions settled = *this;
  const bool flow = is_flow(objective.kind);
  if (rule == RuleKind::automatic) settled.rule = flow ? RuleKind::euler : RuleKind::nesterov;
  if (is_integrator(settled.rule)) {
    if (limit < 1) {
      throw Error(ErrorKind::usage, "an integrator needs at least one step", "raise --limit");
    }
    settled.eta = 1.0 / static_cast<double>(limit);
    const bool noisy = settled.rule == RuleKind::sde_euler || settled.rule == RuleKind::sde_heun;
    if (noisy && objective.kind != ObjectiveKind::fm) {
      throw Error(ErrorKind::usage, "an SDE needs a flow that sees time (fm), to know its score",
                  "choose another rule; langevin adds noise to any landscape");
    }
    return settled;
  }
  if (flow) {
    throw Error(ErrorKind::usage,
                fmt::format("a flow has no bottom to descend to by {}",
                            name_in(rule_names(), settled.rule)),
                "choose an integrator: euler, heun, midpoint, rk4, dopri5, sde-euler");
  }
  const auto steps = static_cast<double>(std::max<int64_t>(1, limit));
  if (eta == 0) settled.eta = 3 / (std::max(1e-9, objective.magnitude.lambda) * steps);
  if (objective.magnitude.kind == MagnitudeKind::constant) settled.land = 0;
  return settled;
}

std::string DescentOptions::described() const {
  std::string text = fmt::format("{} ", name_in(rule_names(), rule));
  if (rule == RuleKind::walk_and_land) {
    text += fmt::format("walk {} land {} glide {} order {}", walk, land, glide, walk_order);
  } else if (rule == RuleKind::dopri5) {
    text += fmt::format("atol {} rtol {}", atol, rtol);
  } else if (is_integrator(rule)) {
    text += fmt::format("steps {}", limit);
    return text;
  } else {
    text += fmt::format("eta {} mu {}", eta, mu);
  }
  return text + fmt::format(" limit {} threshold {}", limit, threshold);
}

Rule make_rule(const DescentOptions& options, const Objective& objective) {
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
                  .last = options.last_step});
  }
  throw Error(ErrorKind::internal, "a rule without a maker");
}

}  // namespace eqm
