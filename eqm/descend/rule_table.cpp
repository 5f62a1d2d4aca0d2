#include "eqm/descend/rule_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/descend/integrators/integrators.h"
#include "eqm/descend/landing_plan.h"
#include "eqm/descend/options.h"
#include "eqm/descend/rules/rules.h"
#include "eqm/landscape/descent_time.h"

namespace eqm {
namespace {

constexpr double kMostStretch = 20;   // of a Barzilai-Borwein step over η
constexpr double kNearTheEnd = 1e-3;  // of time, where a diffusion is infinite or a score is none

// Rules that normalise gradients move every number by about η a step, however steep it is: they
// need to go further than noise and data are apart, and shorter and shorter steps to come to rest.
constexpr double kNormalisedReach = 6;

StepSize eta_of(const DescentOptions& options) {
  return {options.eta, options.schedule, options.whole_way()};
}

double steps_of(const DescentOptions& options) {
  return static_cast<double>(std::max<int64_t>(1, options.whole_way()));
}

void resolve_steps(DescentOptions& options, const Objective& objective) {
  if (options.eta == 0) {
    options.eta = descent_time(objective.effective_magnitude()) / steps_of(options);
  }
  if (options.schedule == StepSchedule::automatic) options.schedule = StepSchedule::constant;
}

// The velocity adds up to η/(1-μ) times the gradient.
void resolve_velocity(DescentOptions& options, const Objective& objective) {
  const bool chosen = options.eta != 0;
  resolve_steps(options, objective);
  if (!chosen) options.eta *= std::max(0.01, 1 - options.mu);
}

void resolve_normalised(DescentOptions& options, const Objective&) {
  if (options.eta == 0) options.eta = kNormalisedReach / steps_of(options);
  if (options.schedule == StepSchedule::automatic) options.schedule = StepSchedule::linear;
}

void validate_backtracking(const DescentOptions& options, const Objective& objective) {
  if (!has_energy(objective.kind)) {
    throw Error(ErrorKind::usage, "backtracking compares energies, and the model has none",
                "use it with an eqm-dot or eqm-l2 model, or choose another rule");
  }
  if (options.schedule != StepSchedule::automatic && options.schedule != StepSchedule::constant) {
    throw Error(ErrorKind::usage, "backtracking finds its step sizes itself and takes no schedule",
                "omit {step-schedule}");
  }
}

bool is_flat(const Objective& objective) {
  return objective.magnitude.kind == MagnitudeKind::constant;
}

void validate_landing(const DescentOptions& options, const Objective& objective) {
  const LandingPlan asked = {.walk = options.walk, .land = options.land};
  is_flat(objective) ? check_walk(asked, options.limit) : check_plan(asked, options.limit);
  const bool beyond = options.glide > 1 && options.glide != DescentOptions().glide;
  if (!sees_time(objective.kind) || !beyond) return;
  throw Error(ErrorKind::usage,
              fmt::format("a glide of {} goes beyond the data, where a model that is shown γ "
                          "answers nothing that leads back",
                          options.glide),
              "choose a {glide} of at most 1; without one it is 0.5 for such models");
}

void resolve_landing(DescentOptions& options, const Objective& objective) {
  resolve_steps(options, objective);
  // A γ-conditioned model returns zero beyond the data, so landings must not overshoot: each goes
  // half-way, the last all the way.
  constexpr double kHalfWay = 0.5;
  if (sees_time(objective.kind) && options.glide > 1) options.glide = kHalfWay;
  const LandingPlan asked = {.walk = options.walk, .land = options.land};
  const LandingPlan plan =
      is_flat(objective) ? walk_within(asked, options.limit) : planned_within(asked, options.limit);
  options.walk = plan.walk;
  options.land = plan.land;
  options.limit = plan.steps();
}

Rule make_landing(const DescentOptions& options, const Objective& objective) {
  Rule rule = walk_and_land({.magnitude = objective.effective_magnitude(),
                             .walk = options.walk,
                             .land = options.land,
                             .glide = options.glide,
                             .order = options.walk_order});
  rule.field_changes = objective.kind == ObjectiveKind::eqm_noise_condition;
  return rule;
}

template <RungeKutta method>
Rule make_runge_kutta(const DescentOptions& options, const Objective&) {
  if (options.time_grid == TimeGrid::edm) {
    return runge_kutta(method, edm_times(options.whole_way()), options.eta);
  }
  return runge_kutta(method, options.whole_way(), 0, 1, options.eta);
}

void validate_sde(const DescentOptions&, const Objective& objective) {
  if (objective.kind == ObjectiveKind::fm) return;
  throw Error(ErrorKind::usage, "an SDE needs a flow that sees time (fm), to know its score",
              "choose another rule; langevin adds noise to any landscape");
}

template <SdeMethod method>
Rule make_sde(const DescentOptions& options, const Objective&) {
  return sde({.form = options.diffusion,
              .method = method,
              .steps = options.whole_way(),
              .t0 = options.diffusion == DiffusionForm::sbdm ? kNearTheEnd : 0,
              .t1 = options.last_step == LastStep::none ? 1 - kNearTheEnd : Sde().t1,
              .last = options.last_step,
              .eta = options.eta});
}

template <RungeKutta method>
RuleRow runge_kutta_row(RuleKind kind, const char* name, const char* help) {
  return {.kind = kind,
          .name = name,
          .help = help,
          .options = {"eta", "horizon", "time-grid"},
          .integrates = true,
          .gamma = ShownGamma::by_steps,
          .limit_as = "steps",
          .make = make_runge_kutta<method>};
}

template <SdeMethod method>
RuleRow sde_row(RuleKind kind, const char* name, const char* help) {
  return {.kind = kind,
          .name = name,
          .help = help,
          .options = {"diffusion", "last-step", "eta", "horizon"},
          .integrates = true,
          .limit_as = "steps",
          .validate = validate_sde,
          .make = make_sde<method>};
}

std::vector<RuleRow> all_rows() {
  return {
      {.kind = RuleKind::automatic, .name = "auto", .help = "land for landscapes, euler for flows"},
      {.kind = RuleKind::gradient_descent,
       .name = "gd",
       .help = "x - η∇E, the plain rule",
       .options = {"eta", "step-schedule", "horizon"},
       .gamma = ShownGamma::by_steps,
       .resolve = resolve_steps,
       .make = [](const DescentOptions& o,
                  const Objective&) { return gradient_descent(eta_of(o)); }},
      {.kind = RuleKind::nesterov,
       .name = "nesterov",
       .help = "the paper's rule: the gradient is taken at a point ahead, by {mu}",
       .options = {"eta", "step-schedule", "horizon", "mu"},
       .gamma = ShownGamma::by_steps,
       .resolve = resolve_steps,
       .make = [](const DescentOptions& o,
                  const Objective&) { return nesterov_look_ahead(eta_of(o), o.mu); }},
      {.kind = RuleKind::nesterov_velocity,
       .name = "nesterov-velocity",
       .help = "Nesterov's rule with a velocity, as optimisers have it",
       .options = {"eta", "step-schedule", "horizon", "mu"},
       .gamma = ShownGamma::by_steps,
       .resolve = resolve_velocity,
       .make = [](const DescentOptions& o,
                  const Objective&) { return nesterov_velocity(eta_of(o), o.mu); }},
      {.kind = RuleKind::heavy_ball,
       .name = "heavy-ball",
       .help = "gradient descent with momentum {mu}",
       .options = {"eta", "step-schedule", "horizon", "mu"},
       .gamma = ShownGamma::by_steps,
       .resolve = resolve_velocity,
       .make = [](const DescentOptions& o,
                  const Objective&) { return heavy_ball(eta_of(o), o.mu); }},
      {.kind = RuleKind::adam,
       .name = "adam",
       .help = "steps normalised by running means of gradients and their squares",
       .options = {"eta", "step-schedule", "horizon", "mean-decay", "square-decay"},
       .resolve = resolve_normalised,
       .make = [](const DescentOptions& o,
                  const Objective&) { return adam(eta_of(o), o.beta1, o.beta2); }},
      {.kind = RuleKind::rmsprop,
       .name = "rmsprop",
       .help = "steps normalised by a running mean of squared gradients",
       .options = {"eta", "step-schedule", "horizon", "square-decay"},
       .resolve = resolve_normalised,
       .make = [](const DescentOptions& o,
                  const Objective&) { return rmsprop(eta_of(o), o.beta2); }},
      {.kind = RuleKind::barzilai_borwein,
       .name = "barzilai-borwein",
       .help = "a step size of each sample's own, from its last two gradients",
       .options = {"eta", "step-schedule", "horizon"},
       .resolve = resolve_steps,
       .make = [](const DescentOptions& o,
                  const Objective&) { return barzilai_borwein(eta_of(o), kMostStretch); }},
      {.kind = RuleKind::langevin,
       .name = "langevin",
       .help = "gradient descent with noise of {temperature}",
       .options = {"eta", "step-schedule", "horizon", "temperature"},
       .gamma = ShownGamma::by_steps,
       .resolve = resolve_steps,
       .make = [](const DescentOptions& o,
                  const Objective&) { return langevin(eta_of(o), o.temperature); }},
      {.kind = RuleKind::backtracking,
       .name = "backtracking",
       .help = "steps that must lower an explicit energy (eqm-dot, eqm-l2)",
       .options = {"eta", "step-schedule", "horizon"},
       .cost = StepCost::varies,
       .validate = validate_backtracking,
       .resolve = resolve_steps,
       .make = [](const DescentOptions& o, const Objective&) { return backtracking(eta_of(o)); }},
      {.kind = RuleKind::walk_and_land,
       .name = "land",
       .help = "few long steps, then a landing: about 14 evaluations a sample",
       .options = {"walk", "land", "glide", "walk-order"},
       .gamma = ShownGamma::by_the_rule,
       .limit_as = "",
       .validate = validate_landing,
       .resolve = resolve_landing,
       .make = make_landing},
      runge_kutta_row<RungeKutta::euler>(
          RuleKind::euler, "euler",
          "integrates the field over time in {limit} steps, of {eta} if given"),
      runge_kutta_row<RungeKutta::heun>(RuleKind::heun, "heun",
                                        "second order, two evaluations a step"),
      runge_kutta_row<RungeKutta::midpoint>(RuleKind::midpoint, "midpoint",
                                            "second order, two evaluations a step"),
      runge_kutta_row<RungeKutta::rk4>(RuleKind::rk4, "rk4",
                                       "fourth order, the 3/8 rule, four evaluations a step"),
      runge_kutta_row<RungeKutta::rk4_classical>(
          RuleKind::rk4_classical, "rk4-classical",
          "fourth order, the classical rule, four evaluations a step"),
      {.kind = RuleKind::dopri5,
       .name = "dopri5",
       .help = "fifth order with error control per sample, by {atol} and {rtol}",
       .options = {"atol", "rtol"},
       .integrates = true,
       .gamma = ShownGamma::by_steps,
       .cost = StepCost::varies,
       .limit_as = "",
       .make = [](const DescentOptions& o,
                  const Objective&) { return dopri5({.atol = o.atol, .rtol = o.rtol}); }},
      sde_row<SdeMethod::euler>(RuleKind::sde_euler, "sde-euler",
                                "Flow Matching as an SDE, first order"),
      sde_row<SdeMethod::heun>(RuleKind::sde_heun, "sde-heun",
                               "Flow Matching as an SDE, second order"),
  };
}

}  // namespace

bool RuleRow::reads(const std::string& option) const {
  return std::ranges::find(options, option) != options.end();
}

const std::vector<RuleRow>& rule_table() {
  static const std::vector<RuleRow> rows = all_rows();
  return rows;
}

const RuleRow& row_of(RuleKind rule) {
  const auto row = std::ranges::find(rule_table(), rule, &RuleRow::kind);
  if (row != rule_table().end()) return *row;
  throw Error(ErrorKind::internal, "a rule without a row in its table", "please report this");
}

const Names<RuleKind>& rule_names() {
  static const Names<RuleKind> names = [] {
    Names<RuleKind> all;
    for (const RuleRow& row : rule_table()) all.emplace_back(row.name, row.kind);
    return all;
  }();
  return names;
}

bool is_integrator(RuleKind rule) {
  return row_of(rule).integrates;
}

}  // namespace eqm
