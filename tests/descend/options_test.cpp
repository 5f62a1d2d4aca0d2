#include "eqm/descend/options.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "eqm/base/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace eqm::test {
namespace {

TEST(DescentOptions, choose_the_papers_step_for_the_papers_landscape) {
  const DescentOptions settled = DescentOptions{.rule = RuleKind::nesterov}.resolve({});
  EXPECT_DOUBLE_EQ(settled.eta, 0.003);
  EXPECT_EQ(settled.limit, 250);
  EXPECT_EQ(settled.mu, 0.35);
}

TEST(DescentOptions, choose_longer_steps_for_fewer_of_them_and_flatter_landscapes) {
  const auto eta = [](int64_t limit, double lambda) {
    const DescentOptions paper = {.rule = RuleKind::nesterov, .limit = limit};
    return paper.resolve({.magnitude = {.lambda = lambda}}).eta;
  };
  EXPECT_DOUBLE_EQ(eta(50, 4), 0.015);
  EXPECT_DOUBLE_EQ(eta(250, 1), 0.012);
  const DescentOptions ball = {.rule = RuleKind::heavy_ball, .mu = 0.5, .limit = 50};
  EXPECT_DOUBLE_EQ(ball.resolve({.magnitude = {.lambda = 4}}).eta, 0.0075)
      << "its velocity adds up";
  EXPECT_DOUBLE_EQ(eta(0, 1), 3);  // no step will be taken, but the number stays one
}

TEST(DescentOptions, choose_steps_by_the_shape_of_the_landscape) {
  const auto eta = [](const Magnitude& magnitude) {
    return DescentOptions{.rule = RuleKind::gradient_descent}.resolve({.magnitude = magnitude}).eta;
  };
  EXPECT_DOUBLE_EQ(eta({.kind = MagnitudeKind::constant, .lambda = 1}), 1.0 / 250) << "as Euler";
  EXPECT_DOUBLE_EQ(eta({.kind = MagnitudeKind::constant, .lambda = 4}), 1.0 / 1000);
  EXPECT_NEAR(eta({.kind = MagnitudeKind::linear, .lambda = 1}), 12.61 / 250, 1e-4);
  EXPECT_NEAR(eta({.a = 0.5, .lambda = 1}), 6.46 / 250, 1e-4);
}

TEST(DescentOptions, keep_a_chosen_step) {
  const DescentOptions settled =
      DescentOptions{.eta = 0.25, .limit = 7}.resolve({.magnitude = {.lambda = 9}});
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
}

TEST(DescentOptions, walk_and_land_on_every_landscape_unless_something_else_is_asked_for) {
  for (const ObjectiveKind kind : {ObjectiveKind::eqm, ObjectiveKind::eqm_dot,
                                   ObjectiveKind::eqm_l2, ObjectiveKind::eqm_noise_condition}) {
    const auto rule = [&](const DescentOptions& options) {
      return options.resolve({.kind = kind, .magnitude = {}}).rule;
    };
    EXPECT_EQ(rule({}), RuleKind::walk_and_land);
    EXPECT_EQ(rule({.limit = 60}), RuleKind::walk_and_land) << "a limit is a limit to any rule";
    EXPECT_EQ(rule({.eta = 0.01}), RuleKind::nesterov);
    EXPECT_EQ(rule({.schedule = StepSchedule::cosine}), RuleKind::nesterov);
    EXPECT_EQ(rule({.mu = 0.5}), RuleKind::nesterov);
    // A model that is shown γ rests nowhere: a stop is no reason to descend slowly.
    const RuleKind stopping =
        kind == ObjectiveKind::eqm_noise_condition ? RuleKind::walk_and_land : RuleKind::nesterov;
    EXPECT_EQ(rule({.threshold = 2}), stopping);
    EXPECT_EQ(rule({.fraction = 0.1}), stopping);
    EXPECT_EQ(rule({.plateau = 5}), stopping);
  }
}

// Every combination that is not refused ends on the data of a landscape with a single point.
TEST(DescentOptions, plan_walk_and_land_to_end_at_data_within_the_limit_or_refuse) {
  const State data = {1, 2, -1}, noise = {0.3, -2, 0.5};
  for (const MagnitudeKind kind : {MagnitudeKind::truncated, MagnitudeKind::linear,
                                   MagnitudeKind::piecewise, MagnitudeKind::constant}) {
    const Objective objective = {.magnitude = {.kind = kind}};
    int planned = 0, refused = 0;
    for (const int64_t limit : {0, 1, 2, 3, 5, 13, 14, 15, 60, 250}) {
      for (const int64_t walk : {1, 3, 8, 40, 300}) {
        for (const int64_t land : {0, 1, 2, 6, 30}) {
          SCOPED_TRACE(fmt::format("{} limit {} walk {} land {}", name_in(magnitude_names(), kind),
                                   limit, walk, land));
          DescentOptions options = {
              .rule = RuleKind::walk_and_land, .walk = walk, .land = land, .limit = limit};
          try {
            options.validate(objective);
            options = options.resolve(objective);
          } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage);
            EXPECT_FALSE(error.hint().empty());
            const bool flat = kind == MagnitudeKind::constant;
            EXPECT_TRUE(limit < 2 || (land == 0 && !flat) || walk + land > limit) << error.what();
            ++refused;
            continue;
          }
          const auto course = make_rule(options, objective).start(noise, {});
          int64_t steps = 0;
          Move move = Move::step;
          for (; steps < options.limit && move != Move::arrival; ++steps) {
            const State x = course->probe();
            const double gamma = 1 - norm(x - data) / norm(noise - data);
            const bool beyond = dot(x - data, noise - data) < 0;
            const double c = objective.magnitude(std::clamp(gamma, 0.0, 1.0));
            move = course->take({.gradient = (beyond ? -c : c) * (noise - data)});
          }
          EXPECT_EQ(move, Move::arrival);
          EXPECT_LE(steps, limit);
          EXPECT_LT(norm(course->x() - data), 1e-9);
          ++planned;
        }
      }
    }
    EXPECT_GT(planned, 50);
    EXPECT_GT(refused, 50);
  }
}

TEST(DescentOptions, let_only_the_defaults_of_walk_and_land_give_way_to_the_limit) {
  using Plan = std::pair<int64_t, int64_t>;
  const auto plan = [](int64_t walk, int64_t land, int64_t limit) {
    const DescentOptions asked = {.walk = walk, .land = land, .limit = limit};
    asked.validate({});
    const DescentOptions options = asked.resolve({});
    return Plan(options.walk, options.land);
  };
  EXPECT_EQ(plan(8, 6, 250), Plan(8, 6));
  EXPECT_EQ(plan(8, 6, 7), Plan(4, 3));
  EXPECT_EQ(plan(8, 6, 2), Plan(1, 1));
  EXPECT_EQ(plan(9, 6, 11), Plan(9, 2));
  EXPECT_EQ(plan(8, 9, 11), Plan(2, 9));
  expect_error(ErrorKind::usage, "{limit} is 9", [&] { plan(9, 6, 9); });
  expect_error(ErrorKind::usage, "at least 12 steps", [&] { plan(7, 5, 11); });
  expect_error(ErrorKind::usage, "{limit} is 1", [&] { plan(8, 6, 1); });
  expect_error(ErrorKind::usage, "{land} 0", [&] { plan(8, 0, 250); });
}

TEST(DescentOptions, make_every_integrator) {
  const Objective flow = {.kind = ObjectiveKind::fm, .magnitude = {}};
  int integrators = 0;
  for (const auto& [name, kind] : rule_names()) {
    if (!is_integrator(kind)) continue;
    const DescentOptions options = DescentOptions{.rule = kind, .limit = 4}.resolve(flow);
    EXPECT_TRUE(make_rule(options, flow).keeps_time) << name;
    ++integrators;
  }
  EXPECT_EQ(integrators, 8);
  EXPECT_EQ(DescentOptions{}.resolve(flow).rule, RuleKind::euler);
}

TEST(DescentOptions, do_not_land_where_nothing_sinks) {
  const Objective flat = {.magnitude = {.kind = MagnitudeKind::constant}};
  EXPECT_EQ(DescentOptions{.land = 3}.resolve(flat).land, 0);
  EXPECT_EQ(DescentOptions{.land = 3}.resolve({}).land, 3);
}

TEST(DescentOptions, describe_the_numbers_that_matter) {
  EXPECT_EQ(DescentOptions{.rule = RuleKind::nesterov}.resolve({}).described(),
            "nesterov eta 0.003 mu 0.35 limit 250");
  EXPECT_EQ(DescentOptions{}.resolve({}).described(), "land walk 8 land 6 glide 1.3 order 2");
  EXPECT_EQ(DescentOptions{.limit = 5}.resolve({}).described(),
            "land walk 3 land 2 glide 1.3 order 2");
}

TEST(DescentOptions, describe_what_each_rule_reads_and_nothing_else) {
  const auto text = [](DescentOptions options, ObjectiveKind kind = ObjectiveKind::eqm) {
    Objective objective;
    objective.kind = kind;
    return options.resolve(objective).described();
  };
  EXPECT_EQ(text({.rule = RuleKind::gradient_descent, .limit = 30, .threshold = 2}),
            "gd eta 0.025 limit 30 threshold 2");
  EXPECT_EQ(text({.rule = RuleKind::heun, .limit = 50}), "heun steps 50");
  EXPECT_EQ(text({.rule = RuleKind::heun, .time_grid = TimeGrid::edm, .limit = 50}),
            "heun grid edm steps 50");
  EXPECT_EQ(text({.rule = RuleKind::adam, .limit = 20}),
            "adam eta 0.3 schedule linear mean-decay 0.5 square-decay 0.9 limit 20");
  EXPECT_EQ(text({.rule = RuleKind::langevin, .eta = 0.5, .temperature = 2, .limit = 3}),
            "langevin eta 0.5 temperature 2 limit 3");
  EXPECT_EQ(text({.rule = RuleKind::heun, .limit = 9}, ObjectiveKind::fm), "heun steps 9");
  EXPECT_EQ(text({.rule = RuleKind::sde_euler, .limit = 9}, ObjectiveKind::fm),
            "sde-euler diffusion sigma last-step mean steps 9");
  EXPECT_EQ(text({.eta = 0.003, .limit = 9}, ObjectiveKind::fm), "euler eta 0.003 steps 9");
  EXPECT_EQ(text({.limit = 9, .horizon = 9}, ObjectiveKind::fm), "euler steps 9");
  EXPECT_EQ(text({.limit = 9, .horizon = 20}, ObjectiveKind::fm), "euler horizon 20 steps 9");
}

TEST(DescentOptions, make_an_sde_of_every_diffusion_and_last_step) {
  Objective flow;
  flow.kind = ObjectiveKind::fm;
  for (const auto& [form_name, form] : diffusion_names()) {
    for (const auto& [last_name, last] : last_step_names()) {
      const DescentOptions options = {
          .rule = RuleKind::sde_euler, .diffusion = form, .last_step = last, .limit = 4};
      EXPECT_NO_THROW(make_rule(options.resolve(flow), flow)) << form_name << " " << last_name;
    }
  }
}

TEST(DescentOptions, refuse_what_an_integrator_does_not_know) {
  Objective flow;
  flow.kind = ObjectiveKind::fm;
  expect_error(ErrorKind::usage, "{eta}",
               [&] { DescentOptions{.rule = RuleKind::dopri5, .eta = 0.1}.validate(flow); });
  expect_error(ErrorKind::usage, "never stops early",
               [&] { DescentOptions{.threshold = 1}.validate(flow); });
  EXPECT_NO_THROW(DescentOptions{.eta = 0.1}.validate(flow));
}

TEST(DescentOptions, stop_within_their_horizon_and_not_beyond) {
  const Objective flow = {.kind = ObjectiveKind::fm, .magnitude = {}};
  EXPECT_NO_THROW((DescentOptions{.limit = 3, .horizon = 10}.validate(flow)));
  EXPECT_NO_THROW((DescentOptions{.limit = 0, .horizon = 10}.validate(flow))) << "the start";
  for (const Objective& objective : {flow, Objective()}) {
    expect_error(ErrorKind::usage, "{limit} 11 goes beyond the {horizon} of 10 steps",
                 [&] { DescentOptions{.limit = 11, .horizon = 10}.validate(objective); });
  }
  // Schedules and automatic steps are those of the whole way.
  const DescentOptions part = {.limit = 50, .horizon = 250};
  EXPECT_EQ(part.resolve({}).rule, RuleKind::nesterov) << "walk and land has no horizon";
  EXPECT_DOUBLE_EQ(part.resolve({}).eta, 0.003);
  EXPECT_EQ(part.stop().limit, 50);
  const auto sde_steps = [&](int64_t limit) {
    return DescentOptions{.rule = RuleKind::sde_euler, .limit = limit, .horizon = 9}.stop().limit;
  };
  EXPECT_EQ(sde_steps(9), 10) << "with the last step";
  EXPECT_EQ(sde_steps(8), 8) << "which does not follow an earlier one";
}

TEST(DescentOptions, models_that_are_shown_the_way_need_rules_that_know_it) {
  Objective shown;
  shown.kind = ObjectiveKind::eqm_noise_condition;
  for (const RuleKind rule : {RuleKind::adam, RuleKind::rmsprop, RuleKind::barzilai_borwein}) {
    expect_error(ErrorKind::usage, "how far",
                 [&] { DescentOptions{.rule = rule}.validate(shown); });
  }
  for (const RuleKind rule :
       {RuleKind::automatic, RuleKind::walk_and_land, RuleKind::heavy_ball, RuleKind::euler}) {
    EXPECT_NO_THROW(DescentOptions{.rule = rule}.validate(shown));
  }
}

TEST(DescentOptions, models_that_are_shown_the_way_are_not_led_beyond_the_data) {
  Objective shown;
  shown.kind = ObjectiveKind::eqm_noise_condition;
  const auto glide = [&](double asked) {
    const DescentOptions options = {.glide = asked};
    options.validate(shown);
    return options.resolve(shown).glide;
  };
  EXPECT_EQ(DescentOptions().resolve(shown).glide, 0.5);
  EXPECT_EQ(DescentOptions().resolve(shown).resolve(shown).glide, 0.5);
  EXPECT_EQ(glide(0.7), 0.7);
  EXPECT_EQ(glide(1), 1);
  for (const double beyond : {1.01, 1.2, 1.5, 2.0}) {
    expect_error(ErrorKind::usage, "goes beyond the data", [&] { glide(beyond); });
  }
  EXPECT_EQ(DescentOptions{.glide = 1.5}.resolve({}).glide, 1.5);
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
  options.set_text("rule", "gd");
  options.set_text("eta", "0.5");
  options.set_text("mu", "0.1");
  options.set_text("limit", "12");
  options.set_text("threshold", "3");
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
    expect_error(ErrorKind::usage, name, [&] { options.set_text(name, value); });
  }
}

TEST(DescentOptions, know_what_their_rule_does_nothing_with) {
  using Names = std::vector<std::string>;
  const auto unused = [](DescentOptions options) { return options.unused({}); };
  EXPECT_EQ(unused({}), Names());
  EXPECT_EQ(unused({.rule = RuleKind::gradient_descent, .eta = 0.1, .mu = 0.2, .walk = 3}),
            (Names{"mu", "walk"}));
  EXPECT_EQ(unused({.rule = RuleKind::walk_and_land, .eta = 0.1, .walk = 3}), Names{"eta"});
  EXPECT_EQ(unused({.rule = RuleKind::walk_and_land, .limit = 14, .horizon = 20}),
            Names{"horizon"});
  EXPECT_EQ(unused({.rule = RuleKind::euler, .eta = 0.1, .horizon = 300}), Names());
  EXPECT_EQ(unused({.mu = 0.2, .threshold = 2}), Names());  // nesterov by itself
  EXPECT_EQ(unused({.limit = 100}), Names{"limit"}) << "walk and land takes 14 steps";
  EXPECT_EQ(unused({.limit = 5}), Names());
  EXPECT_EQ(unused({.rule = RuleKind::gradient_descent, .limit = 100, .plateau = 3}), Names());
  Objective shown;
  shown.kind = ObjectiveKind::eqm_noise_condition;
  EXPECT_EQ((DescentOptions{.rule = RuleKind::gradient_descent, .threshold = 2}.unused(shown)),
            Names{"threshold"});
  EXPECT_EQ(unused({.rule = RuleKind::dopri5, .rtol = 0.1, .limit = 3}), Names());
}

}  // namespace
}  // namespace eqm::test
