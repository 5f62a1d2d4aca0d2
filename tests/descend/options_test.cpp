#include "eqm/descend/options.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace eqm::test {
namespace {

TEST(DescentOptions, choose_the_papers_step_for_the_papers_landscape) {
  const DescentOptions settled = DescentOptions{}.resolved({});
  EXPECT_DOUBLE_EQ(settled.eta, 0.003);
  EXPECT_EQ(settled.limit, 250);
  EXPECT_EQ(settled.rule, RuleKind::nesterov);
  EXPECT_EQ(settled.mu, 0.35);
}

TEST(DescentOptions, choose_longer_steps_for_fewer_of_them_and_flatter_landscapes) {
  const auto eta = [](int64_t limit, double lambda) {
    return DescentOptions{.limit = limit}.resolved({.lambda = lambda}).eta;
  };
  EXPECT_DOUBLE_EQ(eta(50, 4), 0.015);
  EXPECT_DOUBLE_EQ(eta(250, 1), 0.012);
  EXPECT_DOUBLE_EQ(eta(0, 1), 3);  // no step will be taken, but the number stays one
}

TEST(DescentOptions, keep_a_chosen_step) {
  const DescentOptions settled = DescentOptions{.eta = 0.25, .limit = 7}.resolved({.lambda = 9});
  EXPECT_EQ(settled.eta, 0.25);
  EXPECT_EQ(settled.limit, 7);
}

TEST(DescentOptions, make_the_rule_they_name) {
  const Tensor x = torch::tensor({{1.0}}, torch::kFloat64);
  const Tensor gradient = torch::tensor({{2.0}}, torch::kFloat64);
  // Where the second gradient is asked for tells the rules apart.
  const auto second_probe = [&](RuleKind kind) {
    const auto rule = make_rule({.rule = kind, .eta = 0.25, .mu = 0.5});
    DescentState state = rule->start(x);
    rule->step(state, gradient);
    EXPECT_DOUBLE_EQ(state.x.item<double>(), 0.5);
    return rule->probe(state).item<double>();
  };
  EXPECT_DOUBLE_EQ(second_probe(RuleKind::gradient_descent), 0.5);
  EXPECT_DOUBLE_EQ(second_probe(RuleKind::nesterov), 0.25);
}

TEST(DescentOptions, say_when_to_stop) {
  const StopTest stop = DescentOptions{.limit = 9, .threshold = 0.5}.stop();
  EXPECT_EQ(stop.limit, 9);
  EXPECT_EQ(stop.threshold, 0.5);
}

TEST(DescentOptions, are_set_by_name_within_their_ranges) {
  DescentOptions descent;
  OptionSet options;
  descent.declare(options);
  options.set_text("rule", "gd", "--rule");
  options.set_text("eta", "0.5", "--eta");
  options.set_text("mu", "0.1", "--mu");
  options.set_text("limit", "12", "--limit");
  options.set_text("threshold", "3", "--threshold");
  EXPECT_EQ(descent.rule, RuleKind::gradient_descent);
  EXPECT_EQ(descent.eta, 0.5);
  EXPECT_EQ(descent.mu, 0.1);
  EXPECT_EQ(descent.limit, 12);
  EXPECT_EQ(descent.threshold, 3);
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"rule", "adam"},
                                                        {"eta", "-1"},
                                                        {"mu", "1.5"},
                                                        {"limit", "-1"},
                                                        {"threshold", "-1"},
                                                        {"eta", "nan"}}) {
    SCOPED_TRACE(name + " = " + value);
    expect_error(ErrorKind::usage, name, [&] { options.set_text(name, value, "--" + name); });
  }
}

}  // namespace
}  // namespace eqm::test
