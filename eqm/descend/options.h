// How to descend, as every verb is told: the rule with its numbers, and when to stop.
#pragma once

#include <memory>

#include "eqm/base/names.h"
#include "eqm/base/options.h"
#include "eqm/descend/descent.h"
#include "eqm/descend/rule.h"
#include "eqm/landscape/magnitude.h"

namespace eqm {

enum class RuleKind { gradient_descent, nesterov };

const Names<RuleKind>& rule_names();

struct DescentOptions {
  RuleKind rule = RuleKind::nesterov;
  double eta = 0;  // 0: 3/(λ·limit), which is the paper's 0.003 at λ = 4 and 250 steps
  double mu = 0.35;
  int64_t limit = 250;
  double threshold = 0;

  void declare(OptionSet& options);

  // With the automatic step size settled for a landscape.
  DescentOptions resolved(const Magnitude& magnitude) const;

  StopTest stop() const { return {.threshold = threshold, .limit = limit}; }
};

// The step size must be settled.
std::unique_ptr<Rule> make_rule(const DescentOptions& options);

}  // namespace eqm
