// How to descend, the same options for every use: the rule with its numbers, and when to stop.
#pragma once

#include <string>
#include <vector>

#include "eqm/base/options.h"
#include "eqm/descend/course.h"
#include "eqm/descend/integrators/integrators.h"
#include "eqm/descend/integrators/time_grid.h"
#include "eqm/descend/rule_table.h"
#include "eqm/descend/step_size.h"
#include "eqm/descend/stop_test.h"
#include "eqm/landscape/objective.h"

namespace eqm {

struct DescentOptions {
  RuleKind rule = RuleKind::automatic;
  double eta = 0;  // 0: descent_time() over the limit, so that c(γ) chooses
  StepSchedule schedule = StepSchedule::automatic;
  double mu = 0.35;
  double beta1 = 0.5, beta2 = 0.9;  // short memories, for tens of steps
  double temperature = 1e-4;
  int64_t walk = 8, land = 6, walk_order = 2;
  double glide = 1.3;
  TimeGrid time_grid = TimeGrid::uniform;
  double atol = 1e-6, rtol = 1e-3;
  DiffusionForm diffusion = DiffusionForm::sigma;
  LastStep last_step = LastStep::mean;
  int64_t limit = 250;
  int64_t horizon = 0;  // steps of the whole way, of which `limit` are taken; 0: the limit
  double threshold = 0, fraction = 0;
  int64_t plateau = 0;

  void declare(OptionSet& options);

  // Throws a usage error when the rule does not suit the objective or its numbers do not fit: a
  // flow without an integrator, a plan of walk and land that would not end at data in the limit.
  void validate(const Objective& objective) const;

  // With everything that is chosen automatically filled in for an objective. It refuses nothing:
  // of options that validate() refuses it makes something as useless.
  [[nodiscard]] DescentOptions resolve(const Objective& objective) const;

  // Names of options that are not at their defaults, and that the rule does nothing with.
  std::vector<std::string> unused(const Objective& objective) const;

  // Of resolved options.
  StopTest stop() const;

  // Steps from noise to data: what automatic step sizes, schedules and the time of integrators are
  // divided into. With a smaller limit a sample ends in the state that it would pass through.
  int64_t whole_way() const { return horizon > 0 ? horizon : limit; }

  // One line for people: the rule and the numbers it uses.
  std::string described() const;

 private:
  RuleKind resolved_rule(const Objective& objective) const;
  bool stops_at_rest() const { return threshold > 0 || fraction > 0 || plateau > 0; }
  void validate_integrator(const RuleRow& row) const;
};

// The options must be resolved for the same objective.
Rule make_rule(const DescentOptions& options, const Objective& objective);

}  // namespace eqm
