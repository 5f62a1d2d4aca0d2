#include "eqm/descend/options.h"

#include <algorithm>

namespace eqm {

const Names<RuleKind>& rule_names() {
  static const Names<RuleKind> names = {{"gd", RuleKind::gradient_descent},
                                        {"nesterov", RuleKind::nesterov}};
  return names;
}

void DescentOptions::declare(OptionSet& options) {
  options.choice("rule", rule, rule_names(), "update rule");
  options.number("eta", eta, Range::between(0, 1e30), "step size η; 0 chooses 3/(λ·limit)");
  options.number("mu", mu, Range::between(0, 1), "look-ahead μ of nesterov");
  options.count("limit", limit, Range::between(0, 1'000'000), "most steps of a sample");
  options.number("threshold", threshold, Range::at_least(0),
                 "a sample stops when its gradient norm is at most this");
}

DescentOptions DescentOptions::resolved(const Magnitude& magnitude) const {
  DescentOptions settled = *this;
  const auto steps = static_cast<double>(std::max<int64_t>(1, limit));
  if (eta == 0) settled.eta = 3 / (std::max(1e-9, magnitude.lambda) * steps);
  return settled;
}

std::unique_ptr<Rule> make_rule(const DescentOptions& options) {
  if (options.rule == RuleKind::nesterov) {
    return std::make_unique<NesterovLookAhead>(options.eta, options.mu);
  }
  return std::make_unique<GradientDescent>(options.eta);
}

}  // namespace eqm
