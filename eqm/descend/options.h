// How to descend, as every verb is told: the rule with its numbers, and when to stop.
#pragma once

#include <string>
#include <vector>

#include "eqm/base/names.h"
#include "eqm/base/options.h"
#include "eqm/descend/course.h"
#include "eqm/descend/integrators/integrators.h"
#include "eqm/descend/step_size.h"
#include "eqm/descend/stop_test.h"
#include "eqm/landscape/objective.h"

namespace eqm {

enum class RuleKind {
  automatic,  // landscapes: walk_and_land, or nesterov where its options are given; flows: euler
  gradient_descent,
  nesterov,
  nesterov_velocity,
  heavy_ball,
  adam,
  rmsprop,
  barzilai_borwein,
  langevin,
  backtracking,
  walk_and_land,
  euler,
  heun,
  midpoint,
  rk4,
  rk4_classical,
  dopri5,
  sde_euler,
  sde_heun,
};

// Integrators keep a time of their own, over [0, 1]. They stand last in the list.
bool is_integrator(RuleKind rule);

const Names<RuleKind>& rule_names();

struct DescentOptions {
  RuleKind rule = RuleKind::automatic;
  double eta = 0;  // 0: 3/(λ·limit), which is the paper's 0.003 at λ = 4 and 250 steps
  StepSchedule schedule = StepSchedule::automatic;
  double mu = 0.35;
  double beta1 = 0.5, beta2 = 0.9;  // short memories, for tens of steps
  double temperature = 1e-4;
  int64_t walk = 8, land = 6, walk_order = 2;
  double glide = 1.3;
  double atol = 1e-6, rtol = 1e-3;
  DiffusionForm diffusion = DiffusionForm::sigma;
  LastStep last_step = LastStep::mean;
  int64_t limit = 250;
  double threshold = 0, fraction = 0;
  int64_t plateau = 0;

  void declare(OptionSet& options);

  // With everything that is chosen automatically settled for an objective. Rules that do not suit
  // it, and plans of walk and land that would not end at data within the limit, are usage errors.
  DescentOptions resolved(const Objective& objective) const;

  // Names of options that are not at their defaults, and that the rule does nothing with.
  std::vector<std::string> unused(const Objective& objective) const;

  // Of resolved options.
  StopTest stop() const;

  // One line for people: the rule and the numbers it uses.
  std::string described() const;

 private:
  RuleKind settled_rule(const Objective& objective) const;
  void check_integrator(const Objective& objective) const;
};

// The options must be resolved for the same objective.
Rule make_rule(const DescentOptions& options, const Objective& objective);

}  // namespace eqm
