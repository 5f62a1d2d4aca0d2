#include "eqm/descend/shown_gamma.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/descend/options.h"
#include "eqm/descend/rules/rules.h"

namespace eqm::test {
namespace {

const NoiseSource kNoKicks = [](int64_t, State& out) { out = 0; };

const State kData = {1, 2, -1}, kStart = {0.3, -2, 0.5};  // x₀ and ε

State on_the_way(double gamma) {
  return gamma * kData + (1 - gamma) * kStart;
}

Objective shown(const Magnitude& magnitude) {
  return {.kind = ObjectiveKind::eqm_noise_condition, .magnitude = magnitude};
}

struct Question {
  State x;
  double gamma = 0;
};

// What a rule asks a model of a single data point, which believes the γ it is shown.
std::vector<Question> questions(const Rule& rule, const Magnitude& magnitude, int64_t most,
                                double weight = 1) {
  const auto course = rule.start(kStart, kNoKicks);
  std::vector<Question> asked;
  Move move = Move::stage;
  for (int64_t k = 0; k < most && move != Move::arrival; ++k) {
    asked.push_back({course->probe(), course->time()});
    move = course->take(
        {.gradient = (weight * magnitude(course->time())) * (kStart - kData), .weight = weight});
  }
  return asked;
}

const std::vector<Magnitude> kMagnitudes = {
    {},
    {.kind = MagnitudeKind::linear, .lambda = 3},
    {.kind = MagnitudeKind::truncated, .a = 0.5, .lambda = 1},
    {.kind = MagnitudeKind::piecewise, .a = 0.7, .b = 1.4, .lambda = 2}};

TEST(ShownGamma, is_that_of_the_point_where_the_field_is_asked_for) {
  int rules = 0;
  for (const auto& [name, kind] : rule_names()) {
    const bool none = row_of(kind).gamma == ShownGamma::never;
    if (none) continue;
    for (const Magnitude& magnitude : kMagnitudes) {
      SCOPED_TRACE(name + " " + name_in(magnitude_names(), magnitude.kind));
      const Objective objective = shown(magnitude);
      const DescentOptions options = DescentOptions{.rule = kind, .limit = 60}.resolve(objective);
      const auto asked = questions(make_rule(options, objective), magnitude, 1000);
      int inside = 0;
      for (const auto& [x, gamma] : asked) {
        if (gamma <= 0 || gamma >= 1) continue;  // an attempt of dopri5 may go beyond the way
        EXPECT_LT(norm(x - on_the_way(gamma)), 1e-12) << "at " << gamma;
        ++inside;
      }
      EXPECT_GE(inside, 3);
      EXPECT_GT(asked.back().gamma, 0.6);
    }
    ++rules;
  }
  EXPECT_GE(rules, 12);
}

// dγ/dt = c(γ) has the solution 1 - exp(-λt) where c = λ (1-γ).
TEST(ShownGamma, follows_the_closed_form_in_time_with_the_order_of_the_integrator) {
  const Magnitude linear = {.kind = MagnitudeKind::linear, .lambda = 3};
  const auto error = [&](RuleKind rule, int64_t steps) {
    const Objective objective = shown(linear);
    const DescentOptions options = DescentOptions{.rule = rule, .limit = steps}.resolve(objective);
    // Each step is begun at a known time.
    const auto asked = questions(make_rule(options, objective), linear, 1000);
    const size_t stages = asked.size() / static_cast<size_t>(steps);
    const double at = static_cast<double>(steps - 1) / static_cast<double>(steps);
    return std::abs(asked[asked.size() - stages].gamma - (1 - std::exp(-3 * at)));
  };
  EXPECT_NEAR(std::log2(error(RuleKind::euler, 64) / error(RuleKind::euler, 128)), 1, 0.2);
  EXPECT_NEAR(std::log2(error(RuleKind::heun, 64) / error(RuleKind::heun, 128)), 2, 0.2);
  EXPECT_NEAR(std::log2(error(RuleKind::midpoint, 64) / error(RuleKind::midpoint, 128)), 2, 0.2);
  EXPECT_NEAR(std::log2(error(RuleKind::rk4, 16) / error(RuleKind::rk4, 32)), 4, 0.3);
  EXPECT_NEAR(std::log2(error(RuleKind::rk4_classical, 16) / error(RuleKind::rk4_classical, 32)), 4,
              0.3);
}

TEST(ShownGamma, leads_walk_and_land_onto_the_data) {
  for (const Magnitude& magnitude : kMagnitudes) {
    for (const int64_t limit : {2, 5, 250}) {
      const Objective objective = shown(magnitude);
      const DescentOptions options = DescentOptions{.limit = limit}.resolve(objective);
      const auto course = make_rule(options, objective).start(kStart, kNoKicks);
      while (course->take({.gradient = magnitude(course->time()) * (kStart - kData)}) !=
             Move::arrival) {
      }
      EXPECT_LT(norm(course->x() - kData), 1e-9)
          << name_in(magnitude_names(), magnitude.kind) << " " << limit;
    }
  }
}

TEST(ShownGamma, is_under_the_error_control_of_dopri5) {
  const Magnitude truncated = {};  // γ = 4t up to 0.8, then 1 - 0.2 exp(-20 (t - 0.2))
  const Objective objective = shown(truncated);
  const DescentOptions options = {.rule = RuleKind::dopri5, .atol = 1e-8, .rtol = 1e-8};
  const auto course = make_rule(options.resolve(objective), objective).start(kStart, kNoKicks);
  while (course->take({.gradient = truncated(course->time()) * (kStart - kData)}) !=
         Move::arrival) {
  }
  EXPECT_LT(norm(course->x() - on_the_way(1 - 0.2 * std::exp(-16))), 1e-6);
}

TEST(ShownGamma, moves_as_far_as_all_terms_together) {
  const Magnitude magnitude = {};
  const Rule rule = with_gamma(gradient_descent(0.01), magnitude);
  for (const auto& [x, gamma] : questions(rule, magnitude, 20, /*weight=*/2)) {
    EXPECT_LT(norm(x - on_the_way(gamma)), 1e-12);
  }
}

TEST(ShownGamma, stays_within_the_way) {
  const Magnitude steep = {.kind = MagnitudeKind::constant, .lambda = 3};
  std::vector<double> gammas;
  for (const auto& question : questions(with_gamma(gradient_descent(0.2), steep), steep, 4)) {
    gammas.push_back(question.gamma);
  }
  ASSERT_EQ(gammas.size(), 4U);
  EXPECT_EQ(gammas[0], 0);
  EXPECT_NEAR(gammas[1], 0.6, 1e-12);
  EXPECT_EQ(gammas[2], 1);
  EXPECT_EQ(gammas[3], 1);
}

TEST(ShownGamma, takes_no_kicks) {
  const Magnitude magnitude = {};
  const auto kicks = [](int64_t draw, State& out) { out = static_cast<double>(draw + 1); };
  const auto course = with_gamma(langevin(0.01, 0.5), magnitude).start(kStart, kicks);
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(course->time(), 0.04 * k, 1e-12);
    EXPECT_EQ(course->x().size(), kStart.size());
    course->take({.gradient = State(0.0, 3)});
  }
  EXPECT_NEAR(course->x()[0] - kStart[0], std::sqrt(0.01) * (1 + 2 + 3 + 4 + 5), 1e-12);
}

TEST(ShownGamma, is_time_for_flows) {
  const Objective flow = {.kind = ObjectiveKind::fm, .magnitude = {}};
  const DescentOptions options = DescentOptions{.rule = RuleKind::euler, .limit = 4}.resolve(flow);
  const auto course = make_rule(options, flow).start(kStart, kNoKicks);
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(course->time(), 0.25 * k);
    course->take({.gradient = kStart});
  }
}

}  // namespace
}  // namespace eqm::test
