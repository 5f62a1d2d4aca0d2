// The rules that can be named: one row each. Names, help, the options a rule reads, what it cannot
// do, its defaults and its maker all come from its row.
#pragma once

#include <string>
#include <vector>

#include "eqm/base/names.h"
#include "eqm/descend/course.h"
#include "eqm/landscape/objective.h"

namespace eqm {

struct DescentOptions;

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

// How a model that is shown γ learns how far on its way a sample is.
enum class ShownGamma {
  never,     // the rule's steps do not say
  by_steps,  // steps are sums of gradients with weights of their own: γ moves along (with_gamma)
  by_the_rule,  // the rule counts γ itself
};

// What a sample costs.
enum class StepCost { fixed, varies };  // evaluations of the field in each step

struct RuleRow {
  RuleKind kind;
  const char* name;
  const char* help;  // one line; options are {keys}
  // Keys of the options it reads, as it is described by them. The limit and the stops are not among
  // them.
  std::vector<std::string> options = {};
  bool integrates = false;  // follows the velocity over time [0, 1], and rests nowhere
  ShownGamma gamma = ShownGamma::never;
  StepCost cost = StepCost::fixed;
  const char* limit_as = "limit";  // what its description calls the limit; empty: nothing

  // Refuses, fills in and makes what is special to the rule; null where nothing is. They get
  // options whose rule is this one; make() gets resolved ones.
  void (*validate)(const DescentOptions&, const Objective&) = nullptr;
  void (*resolve)(DescentOptions&, const Objective&) = nullptr;
  Rule (*make)(const DescentOptions&, const Objective&) = nullptr;

  bool reads(const std::string& option) const;
};

const std::vector<RuleRow>& rule_table();
const RuleRow& row_of(RuleKind rule);

const Names<RuleKind>& rule_names();

// Integrators keep a time of their own, over [0, 1].
bool is_integrator(RuleKind rule);

}  // namespace eqm
