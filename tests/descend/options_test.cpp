#include "eqm/descend/options.h"

#include <map>

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
    return DescentOptions{.limit = limit}.resolved({.magnitude = {.lambda = lambda}}).eta;
  };
  EXPECT_DOUBLE_EQ(eta(50, 4), 0.015);
  EXPECT_DOUBLE_EQ(eta(250, 1), 0.012);
  const DescentOptions ball = {.rule = RuleKind::heavy_ball, .mu = 0.5, .limit = 50};
  EXPECT_DOUBLE_EQ(ball.resolved({.magnitude = {.lambda = 4}}).eta, 0.0075)
      << "its velocity adds up";
  EXPECT_DOUBLE_EQ(eta(0, 1), 3);  // no step will be taken, but the number stays one
}

TEST(DescentOptions, keep_a_chosen_step) {
  const DescentOptions settled =
      DescentOptions{.eta = 0.25, .limit = 7}.resolved({.magnitude = {.lambda = 9}});
  EXPECT_EQ(settled.eta, 0.25);
  EXPECT_EQ(settled.limit, 7);
}

// Where the third gradient is asked for tells most rules apart.
TEST(DescentOptions, make_the_rule_they_name) {
  std::map<double, std::string> probes;
  for (const auto& [name, kind] : rule_names()) {
    if (kind == RuleKind::automatic || is_integrator(kind)) continue;
    const DescentOptions options = {.rule = kind, .eta = 0.25, .mu = 0.5, .limit = 9};
    const auto course =
        make_rule(options, {}).start({1.0}, [](int64_t, State& out) { out = 0.125; });
    for (int k = 0; k < 2; ++k) {
      const double x = course->probe()[0];
      course->take({.gradient = State{2 * x + x * x}, .energy = x * x + x * x * x / 3});
    }
    const double third = course->probe()[0];
    EXPECT_FALSE(probes.contains(third)) << name << " is " << probes[third];
    probes[third] = name;
  }
  EXPECT_EQ(DescentOptions{}.resolved({}).rule, RuleKind::nesterov);
}

TEST(DescentOptions, make_every_integrator) {
  const Objective flow = {.kind = ObjectiveKind::fm, .magnitude = {}};
  int integrators = 0;
  for (const auto& [name, kind] : rule_names()) {
    if (!is_integrator(kind)) continue;
    const DescentOptions options = DescentOptions{.rule = kind, .limit = 4}.resolved(flow);
    EXPECT_TRUE(make_rule(options, flow).keeps_time) << name;
    ++integrators;
  }
  EXPECT_EQ(integrators, 8);
  EXPECT_EQ(DescentOptions{}.resolved(flow).rule, RuleKind::euler);
}

TEST(DescentOptions, do_not_land_where_nothing_sinks) {
  const Objective flat = {.magnitude = {.kind = MagnitudeKind::constant}};
  EXPECT_EQ(DescentOptions{.land = 3}.resolved(flat).land, 0);
  EXPECT_EQ(DescentOptions{.land = 3}.resolved({}).land, 3);
}

TEST(DescentOptions, describe_the_numbers_that_matter) {
  EXPECT_EQ(DescentOptions{}.resolved({}).described(), "nesterov eta 0.003 mu 0.35 limit 250");
  EXPECT_EQ((DescentOptions{.rule = RuleKind::walk_and_land}.resolved({}).described()),
            "land walk 8 land 6 glide 1.3 order 2 limit 250");
}

TEST(DescentOptions, describe_what_each_rule_reads_and_nothing_else) {
  const auto text = [](DescentOptions options, ObjectiveKind kind = ObjectiveKind::eqm) {
    Objective objective;
    objective.kind = kind;
    return options.resolved(objective).described();
  };
  EXPECT_EQ(text({.rule = RuleKind::gradient_descent, .limit = 30, .threshold = 2}),
            "gd eta 0.025 limit 30 threshold 2");
  EXPECT_EQ(text({.rule = RuleKind::adam, .limit = 20}),
            "adam eta 0.3 schedule linear mean-decay 0.5 square-decay 0.9 limit 20");
  EXPECT_EQ(text({.rule = RuleKind::langevin, .eta = 0.5, .temperature = 2, .limit = 3}),
            "langevin eta 0.5 temperature 2 limit 3");
  EXPECT_EQ(text({.rule = RuleKind::heun, .limit = 9}, ObjectiveKind::fm), "heun steps 9");
  EXPECT_EQ(text({.rule = RuleKind::sde_euler, .limit = 9}, ObjectiveKind::fm),
            "sde-euler diffusion sigma last-step mean steps 9");
}

TEST(DescentOptions, make_an_sde_of_every_diffusion_and_last_step) {
  Objective flow;
  flow.kind = ObjectiveKind::fm;
  for (const auto& [form_name, form] : diffusion_names()) {
    for (const auto& [last_name, last] : last_step_names()) {
      const DescentOptions options = {
          .rule = RuleKind::sde_euler, .diffusion = form, .last_step = last, .limit = 4};
      EXPECT_NO_THROW(make_rule(options.resolved(flow), flow)) << form_name << " " << last_name;
    }
  }
}

TEST(DescentOptions, refuse_what_an_integrator_does_not_know) {
  Objective flow;
  flow.kind = ObjectiveKind::fm;
  expect_error(ErrorKind::usage, "--eta", [&] { DescentOptions{.eta = 0.1}.resolved(flow); });
  expect_error(ErrorKind::usage, "rests nowhere",
               [&] { DescentOptions{.threshold = 1}.resolved(flow); });
}

TEST(DescentOptions, models_that_are_shown_the_way_need_rules_that_know_it) {
  Objective shown;
  shown.kind = ObjectiveKind::eqm_noise_condition;
  for (const RuleKind rule : {RuleKind::adam, RuleKind::heavy_ball, RuleKind::barzilai_borwein}) {
    expect_error(ErrorKind::usage, "how far",
                 [&] { DescentOptions{.rule = rule}.resolved(shown); });
  }
  for (const RuleKind rule : {RuleKind::automatic, RuleKind::walk_and_land, RuleKind::euler}) {
    EXPECT_NO_THROW(DescentOptions{.rule = rule}.resolved(shown));
  }
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
       std::vector<std::pair<std::string, std::string>>{{"rule", "sgd"},
                                                        {"eta", "-1"},
                                                        {"mu", "1.5"},
                                                        {"limit", "-1"},
                                                        {"threshold", "-1"},
                                                        {"eta", "nan"}}) {
    SCOPED_TRACE(name + " = " + value);
    expect_error(ErrorKind::usage, name, [&] { options.set_text(name, value, "--" + name); });
  }
}

TEST(DescentOptions, know_what_their_rule_does_nothing_with) {
  using Names = std::vector<std::string>;
  const auto unused = [](DescentOptions options) { return options.unused({}); };
  EXPECT_EQ(unused({}), Names());
  EXPECT_EQ(unused({.rule = RuleKind::gradient_descent, .eta = 0.1, .mu = 0.2, .walk = 3}),
            (Names{"mu", "walk"}));
  EXPECT_EQ(unused({.rule = RuleKind::walk_and_land, .eta = 0.1, .walk = 3}), Names{"eta"});
  EXPECT_EQ(unused({.mu = 0.2, .threshold = 2}), Names());  // nesterov by itself
  EXPECT_EQ(unused({.rule = RuleKind::dopri5, .rtol = 0.1, .limit = 3}), Names());
}

}  // namespace
}  // namespace eqm::test
