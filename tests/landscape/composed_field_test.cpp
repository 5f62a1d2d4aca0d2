#include "eqm/landscape/composed_field.h"

#include <cmath>

#include <gtest/gtest.h>

#include "eqm/descend/rules/rules.h"
#include "eqm/landscape/ideal_field.h"
#include "eqm/landscape/model.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/small_models.h"
#include "tests/support/weighted_gradient.h"

namespace eqm::test {
namespace {

constexpr double kExact = 1e-12;

std::shared_ptr<Sit> other_sit() {
  auto sit = std::make_shared<Sit>(small_sit_config());
  sit->to(torch::kFloat64);
  shake(*sit, 0.3, /*seed=*/500);
  return sit;
}

struct Two {
  explicit Two(ObjectiveKind kind = ObjectiveKind::eqm,
               ObjectiveKind other = ObjectiveKind::eqm_dot)
      : one(std::make_shared<LearnedField>(model_of(small_sit(), kind))),
        two(std::make_shared<LearnedField>(model_of(other_sit(), other))),
        both({one, two}) {}

  Term term(size_t part, int64_t label, double weight) const {
    return {.label = both.label_of_part(part, label), .weight = weight, .rest_weight = weight};
  }

  std::shared_ptr<const LearnedField> one, two;
  ComposedField both;
  Tensor x = normal(1, 3, {2, 4, 4});
};

Condition labelled(int64_t label, int64_t rows) {
  return {.labels = torch::full({rows}, label, torch::kInt64), .time = {}};
}

TEST(ComposedField, sums_the_gradients_of_its_parts_with_their_own_labels) {
  const Two s;
  const Terms terms = {.list = {s.term(0, 2, 1.5), s.term(1, 1, -0.25), s.term(1, kNullClass, 2)}};
  const Tensor sum = weighted_gradient(s.both, s.x, {terms, terms, terms});
  const Tensor expected = 1.5 * s.one->gradient(s.x, labelled(2, 3)) -
                          0.25 * s.two->gradient(s.x, labelled(1, 3)) +
                          2 * s.two->gradient(s.x, {});
  EXPECT_TRUE(close(sum, expected, kExact));
  EXPECT_FALSE(close(sum, 1.5 * s.one->gradient(s.x, labelled(2, 3)), 1e-3));
}

TEST(ComposedField, rows_without_labels_belong_to_the_first_part) {
  const Two s;
  EXPECT_TRUE(close(s.both.gradient(s.x, {}), s.one->gradient(s.x, {}), kExact));
}

TEST(ComposedField, of_the_same_model_twice_adds_the_weights) {
  const auto field =
      std::make_shared<const LearnedField>(model_of(small_sit(), ObjectiveKind::eqm));
  const ComposedField twice({field, field});
  const auto descent = [](const Rule& rule) { return Descent{.rule = rule, .stop = {.limit = 5}}; };
  const Tensor start = normal(2, 4, {2, 4, 4});
  for (const Rule& rule : {gradient_descent(0.01), nesterov_look_ahead(0.01, 0.35)}) {
    SamplingSpec once, summed;
    once.terms = [](int64_t) { return Terms{.list = {{.label = 1, .weight = 1.75}}}; };
    summed.terms = [&](int64_t) {
      return Terms{.list = {{.label = twice.label_of_part(0, 1), .weight = 1.25},
                            {.label = twice.label_of_part(1, 1), .weight = 0.5}}};
    };
    const Tensor expected = descend(*field, start, descent(rule), once).x;
    EXPECT_TRUE(close(descend(twice, start, descent(rule), summed).x, expected, 1e-10));
    EXPECT_FALSE(close(expected, start, 1e-3));
  }
}

TEST(ComposedField, has_an_energy_where_all_parts_have_one) {
  const Two mixed;
  EXPECT_FALSE(mixed.both.has_energy());
  expect_error(ErrorKind::usage, "no explicit energy",
               [&] { mixed.both.gradient_and_energy(mixed.x, {}); });
  const Two s(ObjectiveKind::eqm_l2, ObjectiveKind::eqm_dot);
  ASSERT_TRUE(s.both.has_energy());
  const Terms terms = {.list = {s.term(0, 0, 2), s.term(1, 2, 0.5)}};
  const Tensor x = s.x.narrow(0, 0, 1);
  const std::vector<Question> questions = {{.x = state_of(x, 0), .terms = &terms}};
  const Answer answer = evaluate(s.both, {2, 4, 4}, x.options(), questions).front();
  const double expected = 2 * s.one->gradient_and_energy(x, labelled(0, 1)).energy.item<double>() +
                          0.5 * s.two->gradient_and_energy(x, labelled(2, 1)).energy.item<double>();
  EXPECT_NEAR(answer.energy, expected, kExact);
}

TEST(ComposedField, shows_time_to_the_parts_that_see_it) {
  const Two s(ObjectiveKind::fm, ObjectiveKind::fm_unconditional);
  const Tensor time = torch::tensor({0.1, 0.5, 0.9}, torch::kFloat64);
  const Terms terms = {.list = {s.term(0, 1, 1), s.term(1, 1, 1)}};
  const Tensor sum = weighted_gradient(s.both, s.x, {terms, terms, terms}, time);
  const Tensor labels = torch::full({3}, 1, torch::kInt64);
  EXPECT_TRUE(close(sum,
                    s.one->gradient(s.x, {.labels = labels, .time = time}) +
                        s.two->gradient(s.x, {.labels = labels, .time = {}}),
                    kExact));
}

TEST(ComposedField, refuses_labels_that_a_part_does_not_have) {
  const Two s;
  expect_error(ErrorKind::usage, "no class 9", [&] { s.both.label_of_part(1, 9); });
  expect_error(ErrorKind::usage, "part 2 is none", [&] { s.both.label_of_part(2, 0); });
  expect_error(ErrorKind::usage, "no part", [&] { s.both.gradient(s.x, labelled(99, 3)); });
  expect_error(ErrorKind::usage, "at least one field", [] { ComposedField({}); });
  SitConfig config = small_sit_config();
  config.class_dropout_prob = 0;
  const ComposedField without(
      {std::make_shared<LearnedField>(model_of(small_sit(config), ObjectiveKind::eqm))});
  expect_error(ErrorKind::usage, "no null class", [&] { without.label_of_part(0, kNullClass); });
  expect_error(ErrorKind::usage, "no null class", [&] { without.gradient(s.x, {}); });
}

// One set has p and q, the other p and r: only p is at rest in both. Some descents stop half-way
// between what one field and the other prefer, but none at q or r.
TEST(ComposedField, of_ideal_fields_descends_to_the_data_they_share) {
  const int64_t d = 24;
  const Tensor p = normal(17, 1, {d}), apart = 0.25 * normal(18, 1, {d});
  const auto one = std::make_shared<IdealField>(torch::cat({p, p + apart}), Magnitude{});
  const auto two = std::make_shared<IdealField>(torch::cat({p, p - apart}), Magnitude{});
  const ComposedField both({one, two});
  SamplingSpec spec;
  spec.terms = [&](int64_t) {
    return composition({both.label_of_part(0, kNullClass), both.label_of_part(1, kNullClass)});
  };
  const Tensor start = normal(9, 16, {d});
  const Descent descent = {.rule = gradient_descent(0.01), .stop = {.limit = 250}};
  const double near = 0.05 * apart.norm().item<double>();
  const auto share_at = [&](const Tensor& ends, const Tensor& point) {
    return ((ends - point).norm(2, 1) < near).to(torch::kFloat64).mean().item<double>();
  };
  const Tensor ends = descend(both, start, descent, spec).x;
  EXPECT_GE(share_at(ends, p), 0.7);
  EXPECT_EQ(share_at(ends, p + apart) + share_at(ends, p - apart), 0);
  const Tensor alone = descend(*one, start, descent).x;
  EXPECT_LE(share_at(alone, p), 0.6) << "alone, many descend to the other point";
}

}  // namespace
}  // namespace eqm::test
