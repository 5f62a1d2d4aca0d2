#include "eqm/descend/held.h"

#include <gtest/gtest.h>

#include "eqm/descend/rules/rules.h"
#include "eqm/descend/sampling.h"
#include "eqm/landscape/ideal_field.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/normal.h"

namespace eqm::test {
namespace {

constexpr int64_t kDimension = 24;

constexpr int64_t kKnown = 20;

HeldPart most_of(const Tensor& point) {
  HeldPart part = {.values = state_of(point.unsqueeze(0), 0), .known = {}, .magnitude = {}};
  for (int64_t i = 0; i < kDimension; ++i) part.known.push_back(i < kKnown);
  return part;
}

Tensor fill(const Tensor& points, const Tensor& start, const Rule& rule) {
  const IdealField field(points, {});
  return descend(field, start, {.rule = rule, .stop = {.limit = 300}}).x;
}

// Most of a data point is known: the rest can only be its own.
TEST(Held, the_rest_of_a_known_point_is_found) {
  const Tensor points = normal(1, 6, {kDimension});
  for (int64_t which = 0; which < 6; ++which) {
    const HeldPart part = most_of(points[which]);
    const Rule landing = walk_and_land({});
    for (const Rule& rule : {gradient_descent(0.02), nesterov_look_ahead(0.02, 0.35), landing}) {
      const Tensor start = normal(2, 4, {kDimension});
      const Tensor ends = fill(points, start, held(rule, part));
      EXPECT_LT((ends - points[which]).abs().max().item<double>(), 0.02) << which;
    }
  }
}

// Without what is held the same starts end at several points.
TEST(Held, without_it_descents_end_elsewhere) {
  const Tensor points = normal(1, 6, {kDimension});
  const Tensor ends = fill(points, normal(2, 4, {kDimension}), gradient_descent(0.02));
  EXPECT_GT((ends - points[0]).abs().max().item<double>(), 0.5);
}

// Known elements that start as noise move as the landscape of their values alone would have them.
TEST(Held, noised_elements_descend_as_if_their_values_were_the_only_data) {
  const Tensor point = normal(3, 1, {kDimension}), start = normal(4, 1, {kDimension});
  HeldPart all = most_of(point[0]);
  all.known.assign(static_cast<size_t>(kDimension), true);
  const Magnitude magnitude;
  State x = state_of(start, 0);
  const State far = x - all.values;
  double gamma = 0;
  const Rule rule = held(gradient_descent(0.01), all);
  const auto course = rule.start(x, {});
  for (int step = 0; step < 40; ++step) {
    course->take({.gradient = State(1e9, x.size())});  // what the field says there is ignored
    gamma += 0.01 * magnitude(gamma);
    EXPECT_LT(norm(course->x() - all.values - (1 - gamma) * far), 1e-9) << step;
  }
}

TEST(Held, clean_elements_stay_and_count_nothing) {
  const Tensor point = normal(5, 1, {kDimension});
  const HeldPart part = most_of(point[0]);
  const State start = with_known(state_of(normal(6, 1, {kDimension}), 0), part);
  const auto course = held(heavy_ball(0.1, 0.9), part).start(start, {});
  for (int step = 0; step < 5; ++step) course->take({.gradient = State(1.0, start.size())});
  for (size_t i = 0; i < start.size(); ++i) {
    EXPECT_EQ(course->x()[i] == start[i], part.known[i]) << i;
  }
}

// Two landscapes added up pull twice as much, and known elements with them.
TEST(Held, pulls_with_the_weight_of_all_terms) {
  HeldPart part = {.values = State(0.0, 1), .known = {true}, .magnitude = {}};
  const auto once = held(gradient_descent(0.01), part).start(State(1.0, 1), {});
  const auto twice = held(gradient_descent(0.01), part).start(State(1.0, 1), {});
  once->take({.gradient = State(1)});
  twice->take({.gradient = State(1), .weight = 2});
  EXPECT_NEAR(1 - twice->x()[0], 2 * (1 - once->x()[0]), 1e-12);
}

TEST(Held, refuses_what_does_not_fit) {
  expect_error(ErrorKind::usage, "differ in number", [] {
    held(gradient_descent(0.1), {.values = State(2), .known = {true}, .magnitude = {}});
  });
  expect_error(ErrorKind::usage, "constant c", [] {
    held(gradient_descent(0.1),
         {.values = State(1), .known = {true}, .magnitude = {.kind = MagnitudeKind::constant}});
  });
  const Rule rule =
      held(gradient_descent(0.1), {.values = State(1), .known = {true}, .magnitude = {}});
  expect_error(ErrorKind::usage, "another size", [&] { rule.start(State(3), {}); });
}

}  // namespace
}  // namespace eqm::test
