#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "eqm/descend/rules/rules.h"
#include "eqm/descend/sampling.h"
#include "eqm/tensor/noise_tensor.h"
#include "eqm/tensor/rows.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/normal.h"

namespace eqm::test {
namespace {

// A field from a function of the states and their condition; counts evaluations and rows.
class TestField final : public Field {
 public:
  using Function = std::function<Tensor(const Tensor&, const Condition&)>;
  explicit TestField(Function function) : function_(std::move(function)) {}

  Tensor gradient(const Tensor& x, const Condition& condition) const override {
    ++evaluations;
    rows += x.size(0);
    return function_(x, condition);
  }

  int64_t label_count() const override { return 100; }
  int64_t null_label() const override { return 99; }

  mutable int64_t evaluations = 0, rows = 0;

 private:
  Function function_;
};

// ∇E = rate(label) x: every row has a curvature of its own, and rows do not interact.
TestField quadratic_by_label() {
  return TestField([](const Tensor& x, const Condition& condition) {
    const Tensor rate = 0.25 * (1 + condition.labels.to(x.scalar_type()));
    return per_row(rate, x) * x;
  });
}

TEST(Descent, follows_the_closed_form_on_a_quadratic) {
  const TestField field([](const Tensor& x, const Condition&) { return 2 * x; });
  const Tensor start = normal(1, 3, {2, 2});
  const DescentResult result =
      descend(field, start, {.rule = gradient_descent(0.1), .stop = {.threshold = 0, .limit = 9}});
  EXPECT_TRUE(close(result.x, std::pow(0.8, 9) * start, 1e-14));
  for (int64_t b = 0; b < 3; ++b) {
    const SampleRecord& sample = result.samples[static_cast<size_t>(b)];
    EXPECT_EQ(sample.steps, 9);
    EXPECT_EQ(sample.status, DescentStatus::limit);
    // Of the last gradient, from which the last step was taken.
    EXPECT_NEAR(sample.norm, 2 * result.x[b].norm().item<double>() / 0.8, 1e-14);
    EXPECT_EQ(sample.evaluations, 9);
  }
  EXPECT_EQ(field.evaluations, 9);  // as many as updates: nothing is asked that moves no one
}

TEST(Descent, stops_each_sample_at_its_own_step) {
  // ‖∇E‖ = ‖x_0‖ (1-η)^k falls to the threshold at the first k with (1-η)^k <= g / ‖x_0‖.
  const TestField field([](const Tensor& x, const Condition&) { return x; });
  const Tensor start =
      torch::tensor({{1.0, 0.0}, {0.0, 100.0}, {0.01, 0.0}, {0.0, -7.0}}, torch::kFloat64);
  const double eta = 0.3, threshold = 0.05;
  const DescentResult result =
      descend(field, start, {.rule = gradient_descent(eta), .stop = {.threshold = threshold}});
  int64_t rows = 0;
  for (int64_t b = 0; b < start.size(0); ++b) {
    const double length = start[b].norm().item<double>();
    const auto steps = static_cast<int64_t>(
        std::max(0.0, std::ceil(std::log(threshold / length) / std::log(1 - eta))));
    const SampleRecord& sample = result.samples[static_cast<size_t>(b)];
    EXPECT_EQ(sample.steps, steps) << b;
    EXPECT_EQ(sample.status, DescentStatus::converged);
    EXPECT_LE(sample.norm, threshold);
    EXPECT_TRUE(close(result.x[b], std::pow(1 - eta, steps) * start[b], 1e-13));
    rows += steps + 1;
  }
  EXPECT_EQ(field.rows, rows);  // nobody is evaluated after the stop
}

TEST(Descent, norm_is_over_the_whole_sample) {
  const TestField field([](const Tensor& x, const Condition&) { return x; });
  const Tensor start = torch::full({1, 4, 5, 5}, 1.0, torch::kFloat64);  // norm 10
  const auto steps = [&](double threshold) {
    return descend(field, start, {.rule = gradient_descent(0.1), .stop = {.threshold = threshold}})
        .samples[0]
        .steps;
  };
  EXPECT_EQ(steps(10.0), 0);  // at most the threshold
  EXPECT_EQ(steps(9.9), 1);
}

RC_GTEST_PROP(Descent, a_sample_ends_the_same_alone_and_in_any_mix, ()) {
  const auto labels =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 6)));
  const auto seed = *rc::gen::inRange<uint64_t>(0, 1000);
  const bool look_ahead = *rc::gen::arbitrary<bool>();
  const double threshold = *rc::gen::element(0.0, 0.01, 0.5);
  const int64_t limit = *rc::gen::inRange<int64_t>(0, 40);
  const auto batch = static_cast<int64_t>(labels.size());
  const Tensor start = normal(seed, batch, {3});
  const Tensor label_rows = torch::tensor(labels, torch::kInt64);
  const TestField field = quadratic_by_label();
  const Rule rule = look_ahead ? nesterov_look_ahead(0.4, 0.35) : gradient_descent(0.4);
  const StopTest stop = {.threshold = threshold, .limit = limit};

  const DescentResult together =
      descend(field, start, {.rule = rule, .stop = stop}, {.labels = label_rows});

  std::vector<int64_t> order(labels.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::minstd_rand(static_cast<unsigned>(seed)));
  const Tensor index = torch::tensor(order, torch::kInt64);
  const DescentResult shuffled =
      descend(field, start.index_select(0, index), {.rule = rule, .stop = stop},
              {.labels = label_rows.index_select(0, index)});
  RC_ASSERT(torch::equal(shuffled.x, together.x.index_select(0, index)));

  for (int64_t b = 0; b < batch; ++b) {
    const DescentResult alone = descend(field, start.narrow(0, b, 1), {.rule = rule, .stop = stop},
                                        {.labels = label_rows.narrow(0, b, 1)});
    const SampleRecord& expected = together.samples[static_cast<size_t>(b)];
    RC_ASSERT(torch::equal(alone.x[0], together.x[b]));
    RC_ASSERT(alone.samples[0].steps == expected.steps);
    RC_ASSERT(alone.samples[0].status == expected.status);
  }
}

TEST(Descent, threshold_zero_runs_to_the_limit) {
  const TestField field([](const Tensor& x, const Condition&) { return x * 1e-12; });
  const DescentResult result =
      descend(field, normal(2, 2, {2}),
              {.rule = gradient_descent(0.1), .stop = {.threshold = 0, .limit = 30}});
  for (const SampleRecord& sample : result.samples) {
    EXPECT_EQ(sample.steps, 30);
    EXPECT_EQ(sample.status, DescentStatus::limit);
  }
}

TEST(Descent, limit_zero_asks_nothing_and_moves_nothing) {
  const TestField field([](const Tensor& x, const Condition&) { return 3 * x; });
  const Tensor start = normal(3, 4, {2});
  const DescentResult result = descend(
      field, start, {.rule = nesterov_look_ahead(0.1, 0.3), .stop = {.threshold = 0, .limit = 0}});
  EXPECT_TRUE(torch::equal(result.x, start));
  EXPECT_EQ(field.evaluations, 0);
  EXPECT_EQ(result.samples[0].steps, 0);
  EXPECT_EQ(result.samples[0].status, DescentStatus::limit);
  EXPECT_TRUE(std::isnan(result.samples[0].norm));
}

TEST(Descent, never_writes_into_the_start) {
  const TestField field([](const Tensor& x, const Condition&) { return x; });
  const Tensor start = normal(4, 2, {2}), copy = start.clone();
  const DescentResult result =
      descend(field, start, {.rule = gradient_descent(0.5), .stop = {.threshold = 0, .limit = 3}});
  EXPECT_TRUE(torch::equal(start, copy));
  EXPECT_FALSE(result.x.is_alias_of(start));
}

// Rows with label 1 meet a gradient that is not a number once they come below 0.5.
TEST(Descent, a_diverging_sample_ends_finite_and_harms_no_other) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const TestField field([&](const Tensor& x, const Condition& condition) {
    const Tensor poisoned = (condition.labels == 1).logical_and(row_norms(x) < 0.5);
    return torch::where(per_row(poisoned, x), torch::full_like(x, nan), x);
  });
  const Tensor start = torch::ones({5, 1}, torch::kFloat64);
  const Tensor labels = torch::tensor({0, 1, 0, 1, 0}, torch::kInt64);
  const DescentResult result = descend(
      field, start, {.rule = gradient_descent(0.1), .stop = {.threshold = 0.01, .limit = 200}},
      {.labels = labels});
  ASSERT_TRUE(result.x.isfinite().all().item<bool>());
  for (int64_t b = 0; b < 5; ++b) {
    const SampleRecord& sample = result.samples[static_cast<size_t>(b)];
    if (b % 2 == 1) {
      EXPECT_EQ(sample.status, DescentStatus::diverged);
      EXPECT_EQ(sample.steps, 7);  // 0.9^7 < 0.5
      EXPECT_NEAR(result.x[b].item<double>(), std::pow(0.9, 7), 1e-14);
      EXPECT_FALSE(std::isfinite(sample.norm));
    } else {
      EXPECT_EQ(sample.status, DescentStatus::converged);
      EXPECT_NEAR(result.x[b].item<double>(), std::pow(0.9, sample.steps), 1e-14);
    }
  }
}

TEST(Descent, an_exploding_sample_keeps_the_state_before) {
  // ∇E = -x³ explodes from 3 and leaves 0.01 nearly where it is.
  const TestField field([](const Tensor& x, const Condition&) { return -x * x * x; });
  const Tensor start = torch::tensor({{3.0f, 1.0f}, {0.01f, 0.01f}}, torch::kFloat32);
  Tensor last_seen = start.clone();
  SamplingSpec spec;
  spec.watch = [&](int64_t row, const Sight& sight) { put_state(sight.x, last_seen, row); };
  const DescentResult result = descend(
      field, start, {.rule = gradient_descent(0.5), .stop = {.threshold = 0, .limit = 50}}, spec);
  EXPECT_EQ(result.samples[0].status, DescentStatus::diverged);
  EXPECT_EQ(result.samples[1].status, DescentStatus::limit);
  EXPECT_EQ(result.samples[1].steps, 50);
  // One whole state of its path, not a mix of two, and not far away.
  EXPECT_TRUE(close(result.x[0], last_seen[0], 1e-6)) << result.x[0];
  EXPECT_LT(result.x[0].abs().max().item<double>(), 1e6);
}

TEST(Descent, a_state_that_flies_away_in_one_element_is_not_mixed_with_the_one_before) {
  // The first coordinate goes far beyond any data while the second one moves on by 1.
  const TestField field([&](const Tensor& x, const Condition&) {
    return torch::tensor({{2e17f, 1e-21f}}).expand_as(x).contiguous();
  });
  const Tensor start = torch::tensor({{0.0f, 10.0f}});
  const DescentResult result = descend(
      field, start, {.rule = gradient_descent(1e21), .stop = {.threshold = 0, .limit = 100}});
  EXPECT_EQ(result.samples[0].status, DescentStatus::diverged);
  EXPECT_EQ(result.samples[0].steps, 0);
  EXPECT_TRUE(torch::equal(result.x, start));
}

TEST(Descent, watchers_see_every_sample_until_it_stops) {
  const TestField field([](const Tensor& x, const Condition&) { return x; });
  const Tensor start = torch::tensor({{1.0}, {0.001}, {0.5}}, torch::kFloat64);
  SamplingSpec spec;
  std::map<int64_t, std::vector<int64_t>> seen;
  spec.watch = [&](int64_t row, const Sight& sight) {
    EXPECT_DOUBLE_EQ(sight.norm, std::abs(sight.x[0]));
    seen[row].push_back(sight.step);
  };
  descend(field, start, {.rule = gradient_descent(0.5), .stop = {.threshold = 0.3, .limit = 100}},
          spec);  // halves every step
  const std::map<int64_t, std::vector<int64_t>> expected = {{0, {0, 1, 2}}, {1, {0}}, {2, {0, 1}}};
  EXPECT_EQ(seen, expected);
}

TEST(Descent, watchers_see_states_where_the_field_sees_probes) {
  std::vector<Tensor> asked, shown;
  const TestField field([&](const Tensor& x, const Condition&) {
    asked.push_back(x.clone());
    return x;
  });
  SamplingSpec spec;
  const Tensor start = normal(5, 1, {2});
  spec.watch = [&](int64_t row, const Sight& sight) {
    shown.push_back(torch::empty_like(start));
    put_state(sight.x, shown.back(), row);
  };
  const double mu = 0.7;
  descend(field, start,
          {.rule = nesterov_look_ahead(0.2, mu), .stop = {.threshold = 0, .limit = 4}}, spec);
  ASSERT_EQ(shown.size(), 4U);
  EXPECT_TRUE(torch::equal(asked[0], shown[0]));
  for (size_t k = 1; k < shown.size(); ++k) {
    EXPECT_TRUE(close(asked[k], shown[k] + mu * (shown[k] - shown[k - 1]), 1e-14)) << k;
  }
}

TEST(Descent, clock_shows_the_time_of_each_step) {
  std::vector<double> times;
  const TestField field([&](const Tensor& x, const Condition& condition) {
    EXPECT_EQ(condition.time.sizes(), Shape({x.size(0)}));
    EXPECT_EQ(condition.time.scalar_type(), x.scalar_type());
    times.push_back(condition.time[0].item<double>());
    return x;
  });
  const Tensor start = normal(6, 2, {2});
  const auto clock = [](int64_t step) { return 0.25 + 0.125 * static_cast<double>(step); };
  descend(field, start,
          {.rule = gradient_descent(0.1), .stop = {.threshold = 0, .limit = 3}, .clock = clock});
  EXPECT_EQ(times, (std::vector<double>{0.25, 0.375, 0.5}));
}

TEST(Descent, zero_samples_end_at_once) {
  const TestField field([](const Tensor& x, const Condition&) { return x; });
  const DescentResult result = descend(field, torch::zeros({0, 3, 4, 4}),
                                       {.rule = gradient_descent(0.1), .stop = {.limit = 10}});
  EXPECT_EQ(result.x.sizes(), Shape({0, 3, 4, 4}));
  EXPECT_TRUE(result.samples.empty());
  EXPECT_EQ(field.evaluations, 0);
}

TEST(Descent, terms_descend_their_weighted_sum) {
  // With rate(label) = (1 + label)/4 two labels of weight w descend Σ w rate(label) x.
  const TestField field = quadratic_by_label();
  const Tensor start = normal(7, 3, {2});
  SamplingSpec spec;
  const std::vector<Terms> terms = {
      {.list = {{.label = 0, .weight = 1}, {.label = 3, .weight = 2}}},
      {.list = {{.label = 1, .weight = 0.5}, {.label = 3, .weight = 0.5}}},
      {.list = {{.label = 5, .weight = 1}}}};
  spec.terms = [&](int64_t i) { return terms[static_cast<size_t>(i)]; };
  const DescentResult result = descend(
      field, start, {.rule = gradient_descent(0.2), .stop = {.threshold = 0, .limit = 5}}, spec);
  const Tensor rate = torch::tensor({0.25 + 2 * 1.0, 0.5 * 0.5 + 0.5 * 1.0, 1.5}, torch::kFloat64);
  EXPECT_TRUE(close(result.x, torch::pow(1 - 0.2 * rate, 5).unsqueeze(1) * start, 1e-13));
}

TEST(Descent, terms_follow_their_rows_when_others_stop) {
  const TestField field = quadratic_by_label();
  const Tensor start = torch::tensor({{0.01}, {1.0}, {0.02}, {2.0}}, torch::kFloat64);
  SamplingSpec spec;
  spec.terms = [](int64_t label) { return composition({label, label}); };
  const DescentResult result =
      descend(field, start,
              {.rule = gradient_descent(0.1), .stop = {.threshold = 0.05, .limit = 100}}, spec);
  for (int64_t b = 0; b < 4; ++b) {
    const auto steps = static_cast<double>(result.samples[static_cast<size_t>(b)].steps);
    const double rate = 0.5 * static_cast<double>(1 + b);
    EXPECT_EQ(steps > 0, b % 2 == 1);
    EXPECT_NEAR(result.x[b].item<double>(),
                start[b].item<double>() * std::pow(1 - 0.1 * rate, steps), 1e-13);
  }
}

TEST(Descent, builds_no_graph) {
  const TestField field([](const Tensor& x, const Condition&) { return x; });
  const Tensor start = normal(8, 1, {2}).requires_grad_(true);
  const DescentResult result =
      descend(field, start, {.rule = gradient_descent(0.1), .stop = {.limit = 2}});
  EXPECT_FALSE(result.x.requires_grad());
}

TEST(Descent, refuses_senseless_stops) {
  const TestField field([](const Tensor& x, const Condition&) { return x; });
  const Tensor start = normal(9, 1, {2});
  for (const StopTest stop :
       {StopTest{.threshold = -1, .limit = 1}, StopTest{.threshold = 0, .limit = -1},
        StopTest{.threshold = std::nan(""), .limit = 1}}) {
    expect_error(ErrorKind::usage, "threshold",
                 [&] { descend(field, start, {.rule = gradient_descent(0.1), .stop = stop}); });
  }
}

TEST(Descent, refuses_labels_that_do_not_fit) {
  const TestField field = quadratic_by_label();
  const Tensor start = normal(9, 3, {2});
  expect_error(ErrorKind::usage, "do not fit", [&] {
    descend(field, start, {.rule = gradient_descent(0.1), .stop = {}},
            {.labels = torch::zeros({2}, torch::kInt64)});
  });
}

}  // namespace
}  // namespace eqm::test
