#include "eqm/descend/sampling.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/base/draws.h"
#include "eqm/descend/stop_test.h"
#include "eqm/tensor/noise_tensor.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

constexpr uint64_t kSeed = 12;

LearnedField field_of(ObjectiveKind kind) {
  return LearnedField(model_of(small_sit(), kind));
}

Tensor start(int64_t first, int64_t count) {
  return normal_rows({.seed = kSeed, .sample = static_cast<uint64_t>(first), .draw = draw_start},
                     count, {2, 4, 4}, torch::kFloat64);
}

Tensor labels() {
  return torch::tensor({0, 2, 1, 2, 0}, torch::kInt64);
}

SamplingSpec request_with(const DescentOptions& descent, int64_t count = 5) {
  return {
      .labels = labels().narrow(0, 0, count), .count = count, .seed = kSeed, .descent = descent};
}

Tensor sampled(const LearnedField& field, const SamplingSpec& request) {
  return sample(field, request).x;
}

Tensor times(double value) {
  return torch::full({5}, value, torch::kFloat64);
}

TEST(Sampling, follows_a_flow_in_equal_steps_with_the_clock_running_from_0_to_1) {
  for (const int64_t steps : {1, 4, 7}) {
    for (const ObjectiveKind kind : {ObjectiveKind::fm, ObjectiveKind::fm_unconditional}) {
      const LearnedField field = field_of(kind);
      Tensor x = start(0, 5);
      for (int64_t k = 0; k < steps; ++k) {
        const double t = static_cast<double>(k) / static_cast<double>(steps);
        x = x -
            field.gradient(x, {.labels = labels(), .time = times(t)}) / static_cast<double>(steps);
      }
      const DescentResult result = sample(field, request_with({.limit = steps}));
      EXPECT_TRUE(close(result.x, x, 1e-12)) << name_of(kind) << " " << steps;
      for (const SampleRecord& record : result.samples) {
        EXPECT_EQ(record.steps, steps);
        EXPECT_EQ(record.evaluations, steps);
        EXPECT_EQ(record.status, DescentStatus::arrived);
      }
    }
  }
}

// The paper's comparison of step sizes: η replaces the length of the updates, and the model is
// shown the times of the even grid.
TEST(Sampling, of_a_flow_takes_steps_of_any_size_at_the_times_of_the_even_grid) {
  const LearnedField field = field_of(ObjectiveKind::fm);
  const int64_t steps = 6;
  const double eta = 0.21;
  const auto velocity = [&](const Tensor& x, double t) {
    return -field.gradient(x, {.labels = labels(), .time = times(t)});
  };
  Tensor euler = start(0, 5), heun = euler;
  for (int64_t k = 0; k < steps; ++k) {
    const double t = static_cast<double>(k) / 6, next = static_cast<double>(k + 1) / 6;
    euler = euler + eta * velocity(euler, t);
    const Tensor first = velocity(heun, t);
    heun = heun + eta / 2 * (first + velocity(heun + eta * first, next));
  }
  EXPECT_TRUE(close(sampled(field, request_with({.eta = eta, .limit = steps})), euler, 1e-12));
  EXPECT_TRUE(
      close(sampled(field, request_with({.rule = RuleKind::heun, .eta = eta, .limit = steps})),
            heun, 1e-12));
}

TEST(Sampling, a_step_size_that_divides_the_time_evenly_changes_nothing) {
  const LearnedField field = field_of(ObjectiveKind::fm);
  for (const RuleRow& row : rule_table()) {
    if (!row.integrates || !row.reads("eta")) continue;
    DescentOptions even = {.rule = row.kind, .last_step = LastStep::none, .limit = 5};
    const Tensor x = sampled(field, request_with(even));
    even.eta = (row.reads("last-step") ? 1 - 1e-3 : 1.0) / 5;
    EXPECT_TRUE(close(sampled(field, request_with(even)), x, 1e-12)) << row.name;
    even.eta *= 1.5;
    EXPECT_FALSE(close(sampled(field, request_with(even)), x, 1e-3)) << row.name;
  }
}

TEST(Sampling, by_eulers_steps_of_a_given_size_is_gradient_descent) {
  const LearnedField field = field_of(ObjectiveKind::eqm);
  const Tensor descended = sampled(
      field, request_with({.rule = RuleKind::gradient_descent, .eta = 0.0017, .limit = 250}));
  EXPECT_TRUE(
      close(sampled(field, request_with({.rule = RuleKind::euler, .eta = 0.0017, .limit = 250})),
            descended, 1e-12));
}

TEST(Sampling, of_fewer_steps_than_the_horizon_ends_where_the_whole_way_passes) {
  for (const RuleRow& row : rule_table()) {
    if (!row.reads("horizon") || row.kind == RuleKind::backtracking) continue;
    SCOPED_TRACE(row.name);
    const LearnedField field = field_of(row.integrates ? ObjectiveKind::fm : ObjectiveKind::eqm);
    std::map<int64_t, std::vector<State>> passed;  // by step, of each sample
    SamplingSpec whole = request_with({.rule = row.kind, .limit = 8});
    whole.watch = [&](int64_t sample, const Sight& sight) {
      std::vector<State>& states = passed[sight.step];
      states.resize(5);
      states[static_cast<size_t>(sample)] = sight.x;
    };
    sample(field, whole);
    for (const int64_t limit : {0, 1, 5}) {
      const DescentResult part =
          sample(field, request_with({.rule = row.kind, .limit = limit, .horizon = 8}));
      for (int64_t i = 0; i < 5; ++i) {
        EXPECT_EQ(part.samples[static_cast<size_t>(i)].status, DescentStatus::limit);
        EXPECT_LT(norm(state_of(part.x, i) - passed.at(limit)[static_cast<size_t>(i)]), 1e-12);
      }
    }
  }
}

TEST(Sampling, of_a_flow_takes_no_threshold) {
  const LearnedField field = field_of(ObjectiveKind::fm);
  expect_error(ErrorKind::usage, "never stops early",
               [&] { sampled(field, request_with({.limit = 3, .threshold = 1e9})); });
}

TEST(Sampling, of_a_flow_needs_an_integrator_and_a_step) {
  expect_error(ErrorKind::usage, "at least one step", [] {
    sample(field_of(ObjectiveKind::fm_unconditional), request_with({.limit = 0}));
  });
  expect_error(ErrorKind::usage, "no bottom to descend to by adam",
               [] { sample(field_of(ObjectiveKind::fm), request_with({.rule = RuleKind::adam})); });
}

// The error of a method on the flow, against many small steps.
TEST(Sampling, better_integrators_come_closer_with_as_many_steps) {
  const LearnedField field = field_of(ObjectiveKind::fm);
  const Tensor exact = sampled(field, request_with({.rule = RuleKind::rk4, .limit = 60}));
  const auto error = [&](RuleKind rule) {
    const Tensor x = sampled(field, request_with({.rule = rule, .rtol = 1e-6, .limit = 6}));
    return (x - exact).abs().max().item<double>();
  };
  EXPECT_LT(error(RuleKind::heun), 0.5 * error(RuleKind::euler));
  EXPECT_LT(error(RuleKind::midpoint), 0.5 * error(RuleKind::euler));
  EXPECT_LT(error(RuleKind::rk4_classical), 0.1 * error(RuleKind::heun));
  EXPECT_LT(error(RuleKind::dopri5), 1e-4);
}

TEST(Sampling, by_an_sde_depends_on_the_seed_and_needs_a_flow_with_time) {
  const LearnedField field = field_of(ObjectiveKind::fm);
  SamplingSpec request = request_with({.rule = RuleKind::sde_euler, .limit = 5});
  const Tensor once = sampled(field, request);
  EXPECT_TRUE(torch::equal(sampled(field, request), once));
  EXPECT_FALSE(close(sampled(field, request_with({.limit = 5})), once, 1e-3));
  for (const LastStep last : {LastStep::none, LastStep::mean, LastStep::tweedie, LastStep::euler}) {
    request.descent.last_step = last;
    const DescentResult result = sample(field, request);
    for (const SampleRecord& record : result.samples) {
      EXPECT_EQ(record.status, DescentStatus::arrived);
      EXPECT_EQ(record.steps, last == LastStep::none ? 5 : 6);
    }
    EXPECT_EQ(torch::equal(result.x, once), last == LastStep::mean) << "the default";
  }
  expect_error(ErrorKind::usage, "an SDE needs a flow",
               [&] { sample(field_of(ObjectiveKind::eqm), request); });
}

TEST(SamplingStream, brings_samples_in_order_and_few_at_a_time) {
  const LearnedField field = field_of(ObjectiveKind::eqm);
  std::vector<int64_t> order;
  SamplingSpec job = {.count = 30,
                      .seed = kSeed,
                      .descent = {.eta = 0.05, .limit = 40, .threshold = 3},
                      .capacity = 4};
  job.terms = [](int64_t i) { return only(i % 3); };
  std::set<int64_t> steps;
  job.done = [&](int64_t i, const Outcome& outcome) {
    order.push_back(i);
    steps.insert(outcome.record.steps);
  };
  const EngineCounts counts = run_sampling(field, job);
  EXPECT_EQ(counts.finished, 30);
  ASSERT_EQ(order.size(), 30U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_GT(steps.size(), 1U);  // or the order would prove nothing
}

TEST(SamplingStream, ends_early_when_told_to) {
  const LearnedField field = field_of(ObjectiveKind::eqm);
  SamplingSpec job = {
      .count = 1000, .seed = kSeed, .descent = {.eta = 0.01, .limit = 50}, .capacity = 4};
  int64_t ticks = 0, cancelled = 0, whole = 0;
  job.go_on = [&](const EngineCounts&) { return ++ticks < 60; };
  job.done = [&](int64_t, const Outcome& outcome) {
    ++(outcome.record.status == DescentStatus::cancelled ? cancelled : whole);
  };
  run_sampling(field, job);
  EXPECT_EQ(ticks, 60);
  EXPECT_EQ(whole, 4);
  EXPECT_EQ(cancelled, 4);
}

TEST(SamplingStream, brings_the_same_samples_in_order_on_a_thread_of_their_own) {
  const LearnedField field = field_of(ObjectiveKind::eqm);
  const auto drawn = [&](Delivery delivery) {
    std::vector<std::pair<int64_t, int64_t>> seen;  // sample, steps
    SamplingSpec spec = {.count = 60,
                         .seed = kSeed,
                         .descent = {.eta = 0.05, .limit = 40, .threshold = 3},
                         .capacity = 2,
                         .delivery = delivery};
    spec.terms = [](int64_t i) { return only(i % 3); };
    spec.done = [&](int64_t i, const Outcome& outcome) {
      seen.emplace_back(i, outcome.record.steps);
    };
    run_sampling(field, spec);
    return seen;
  };
  const auto beside = drawn(Delivery::consumer_thread);
  ASSERT_EQ(beside.size(), 60U);
  EXPECT_EQ(beside, drawn(Delivery::engine_thread));
}

TEST(SamplingStream, what_a_callback_throws_comes_out_and_ends_the_rest) {
  const LearnedField field = field_of(ObjectiveKind::eqm);
  for (const Delivery delivery : {Delivery::engine_thread, Delivery::consumer_thread}) {
    for (const bool watching : {false, true}) {
      SamplingSpec spec = {.count = 1'000'000,
                           .seed = kSeed,
                           .descent = {.limit = 4},
                           .capacity = 4,
                           .delivery = delivery};
      std::atomic<int> received = 0;
      spec.done = [&](int64_t i, const Outcome&) {
        if (!watching && i == 5) throw Error(ErrorKind::io, "the disk is full");
        ++received;
      };
      if (watching) {
        spec.watch = [](int64_t i, const Sight&) {
          if (i == 5) throw Error(ErrorKind::io, "the disk is full");
        };
      }
      expect_error(ErrorKind::io, "the disk is full", [&] { run_sampling(field, spec); });
      EXPECT_LE(received, watching ? 40 : 5);
    }
  }
}

TEST(SamplingStream, of_a_field_without_an_objective_needs_a_rule) {
  const LearnedField field = field_of(ObjectiveKind::eqm);
  const StateSpace space = states_of_model(field.model());
  SamplingSpec spec = {.count = 3, .seed = kSeed};
  expect_error(ErrorKind::usage, "needs a rule of its own",
               [&] { run_sampling(static_cast<const Field&>(field), space, spec); });
  spec.own_descent = make_descent({.limit = 4}, field.model().objective);
  Tensor own = torch::zeros_like(start(0, 3));
  spec.done = [&](int64_t i, const Outcome& outcome) { put_state(outcome.x, own, i); };
  run_sampling(static_cast<const Field&>(field), space, spec);
  const Tensor expected = sample(field, {.count = 3, .seed = kSeed, .descent = {.limit = 4}}).x;
  EXPECT_TRUE(torch::equal(own, expected));
}

TEST(Sampling, descends_a_landscape_by_the_rule) {
  for (const ObjectiveKind kind :
       {ObjectiveKind::eqm, ObjectiveKind::eqm_dot, ObjectiveKind::eqm_l2}) {
    const LearnedField field = field_of(kind);
    const double eta = 0.05, mu = 0.4;
    Tensor x = start(0, 5), before = x;
    for (int k = 0; k < 4; ++k) {
      const Tensor next =
          x - eta * field.gradient(x + mu * (x - before), {.labels = labels(), .time = {}});
      before = x;
      x = next;
    }
    EXPECT_TRUE(close(sampled(field, request_with({.eta = eta, .mu = mu, .limit = 4})), x, 1e-12))
        << name_of(kind);
  }
}

TEST(Sampling, settles_the_automatic_step_by_the_models_landscape) {
  Model model = model_of(small_sit(), ObjectiveKind::eqm);
  model.objective.magnitude.lambda = 2;
  const LearnedField field(model);
  const Tensor automatic = sampled(field, request_with({.rule = RuleKind::nesterov, .limit = 10}));
  EXPECT_TRUE(torch::equal(automatic, sampled(field, request_with({.eta = 0.15, .limit = 10}))));
  EXPECT_FALSE(torch::equal(automatic, sampled(field, request_with({.eta = 0.075, .limit = 10}))));
}

TEST(Sampling, stops_at_the_threshold) {
  const LearnedField field = field_of(ObjectiveKind::eqm);
  const DescentResult result = sample(field, request_with({.limit = 9, .threshold = 1e9}));
  for (const SampleRecord& record : result.samples) {
    EXPECT_EQ(record.status, DescentStatus::converged);
    EXPECT_EQ(record.steps, 0);
  }
  EXPECT_TRUE(torch::equal(result.x, start(0, 5)));
}

// The step at which a sample with these norms is on a plateau; -1 for none.
int64_t plateau_step(const std::vector<double>& norms, int64_t plateau) {
  Rest rest;
  for (size_t k = 0; k < norms.size(); ++k) {
    if (rest.with({.plateau = plateau}, norms[k]) == Resting::plateau) {
      return static_cast<int64_t>(k);
    }
  }
  return -1;
}

TEST(Sampling, stops_on_a_plateau_with_a_status_of_its_own) {
  const LearnedField field = field_of(ObjectiveKind::eqm_l2);
  const DescentOptions descent = {.rule = RuleKind::gradient_descent, .eta = 0.05, .limit = 400};
  std::vector<std::vector<double>> norms(5);
  SamplingSpec whole = request_with(descent);
  whole.watch = [&](int64_t row, const Sight& sight) {
    norms[static_cast<size_t>(row)].push_back(sight.norm);
  };
  sample(field, whole);
  DescentOptions stopping = descent;
  stopping.plateau = 3;
  const DescentResult result = sample(field, request_with(stopping));
  int64_t plateaus = 0;
  for (size_t i = 0; i < norms.size(); ++i) {
    SCOPED_TRACE(i);
    const int64_t expected = plateau_step(norms[i], stopping.plateau);
    const SampleRecord& record = result.samples[i];
    EXPECT_EQ(record.status, expected < 0 ? DescentStatus::limit : DescentStatus::plateau);
    EXPECT_EQ(record.steps, expected < 0 ? 400 : expected);
    if (expected < 0) continue;
    ++plateaus;
    const auto end = norms[i].begin() + expected + 1;
    const auto largest = std::max_element(norms[i].begin(), end);
    EXPECT_LE(*std::min_element(largest, end), 0.5 * *largest) << "it fell after its largest";
  }
  EXPECT_GT(plateaus, 0);
  EXPECT_LT(plateaus, 5);
}

// The norms of this network rise to twice the first and stay there.
TEST(Sampling, does_not_take_a_norm_that_has_risen_for_a_plateau) {
  const DescentOptions descent = {
      .rule = RuleKind::gradient_descent, .eta = 0.2, .limit = 200, .plateau = 3};
  for (const SampleRecord& record :
       sample(field_of(ObjectiveKind::eqm), request_with(descent)).samples) {
    EXPECT_EQ(record.status, DescentStatus::limit);
  }
}

// The γ that an EqM model with a clock believes to have reached.
TEST(Sampling, of_a_noise_conditioned_model_moves_the_clock_as_far_as_the_steps_go) {
  Model model = model_of(small_sit(), ObjectiveKind::eqm_noise_condition);
  model.objective.magnitude = {.kind = MagnitudeKind::linear, .lambda = 2};
  const LearnedField field(model);
  const double eta = 0.3;
  Tensor x = start(0, 5);
  double gamma = 0;
  for (int k = 0; k < 6; ++k) {
    x = x - eta * field.gradient(x, {.labels = labels(), .time = times(gamma)});
    gamma = std::min(1.0, gamma + eta * 2 * (1 - gamma));
  }
  EXPECT_GT(gamma, 0.9);
  const DescentOptions descent = {
      .rule = RuleKind::gradient_descent, .eta = eta, .limit = 6, .threshold = 1e9};
  const DescentResult result = sample(field, request_with(descent));
  EXPECT_TRUE(close(result.x, x, 1e-12));
  // What it is shown changes with time, so a small gradient means nothing.
  EXPECT_EQ(result.samples[0].status, DescentStatus::limit);
}

TEST(Sampling, never_shows_a_time_beyond_the_data) {
  Model model = model_of(small_sit(), ObjectiveKind::eqm_noise_condition);
  model.objective.magnitude = {.kind = MagnitudeKind::constant, .lambda = 3};
  const LearnedField field(model);
  const double eta = 0.2;
  Tensor x = start(0, 5);
  for (const double gamma : {0.0, 0.6, 1.0, 1.0}) {
    x = x - eta * field.gradient(x, {.labels = labels(), .time = times(gamma)});
  }
  const DescentOptions descent = {.rule = RuleKind::gradient_descent, .eta = eta, .limit = 4};
  EXPECT_TRUE(close(sampled(field, request_with(descent)), x, 1e-12));
}

TEST(Sampling, gives_a_sample_of_its_own_whatever_the_batch) {
  for (const ObjectiveKind kind : {ObjectiveKind::eqm, ObjectiveKind::fm}) {
    const LearnedField field = field_of(kind);
    const DescentOptions descent = {.eta = is_flow(kind) ? 0 : 0.05, .limit = 4};
    const Tensor together = sampled(field, request_with(descent));
    for (int64_t i = 0; i < 5; ++i) {
      SamplingSpec alone = request_with(descent);
      alone.labels = labels().narrow(0, i, 1);
      alone.count = 1;
      alone.first_sample = i;
      EXPECT_TRUE(close(sampled(field, alone)[0], together[i], 1e-12)) << i;
    }
    SamplingSpec other = request_with(descent);
    other.seed = kSeed + 1;
    EXPECT_FALSE(close(sampled(field, other), together, 0.1));
  }
}

TEST(Sampling, computes_in_the_precision_of_the_model) {
  Model model = model_of(small_sit(), ObjectiveKind::eqm);
  const Tensor wide = sampled(LearnedField(model), request_with({.eta = 0.05, .limit = 4}));
  model.backbone->to(torch::kFloat32);
  const Tensor narrow = sampled(LearnedField(model), request_with({.eta = 0.05, .limit = 4}));
  EXPECT_EQ(wide.scalar_type(), torch::kFloat64);
  EXPECT_EQ(narrow.scalar_type(), torch::kFloat32);
  EXPECT_TRUE(close(narrow, wide, 1e-5));
}

TEST(Sampling, guidance_is_the_weighted_sum_of_label_and_null_class) {
  for (const ObjectiveKind kind : {ObjectiveKind::eqm, ObjectiveKind::fm}) {
    const LearnedField field = field_of(kind);
    const double eta = 0.25, scale = 2.5;
    Tensor x = start(0, 5);
    for (int k = 0; k < 4; ++k) {
      const auto gradient = [&](const Tensor& which) {
        return field.gradient(x, {.labels = which, .time = times(0.25 * k)});
      };
      const Tensor null = gradient(torch::full({5}, field.null_label(), torch::kInt64));
      x = x - eta * (null + scale * (gradient(labels()) - null));
    }
    const bool flow = kind == ObjectiveKind::fm;
    SamplingSpec request =
        request_with({.rule = flow ? RuleKind::euler : RuleKind::gradient_descent,
                      .eta = flow ? 0 : eta,
                      .limit = 4});
    request.guidance.scale = scale;
    EXPECT_TRUE(close(sampled(field, request), x, 1e-12)) << name_of(kind);
  }
}

TEST(Sampling, guidance_0_hides_the_label_and_guidance_1_is_none) {
  const LearnedField field = field_of(ObjectiveKind::eqm);
  SamplingSpec request = request_with({.eta = 0.1, .limit = 4});
  const Tensor plain = sampled(field, request);
  request.guidance.scale = 0;
  const Tensor hidden = sampled(field, request);
  request.guidance.scale = 1 + 1e-13;
  EXPECT_TRUE(close(sampled(field, request), plain, 1e-10));
  request.guidance.scale = 1;
  request.labels = Tensor();
  EXPECT_TRUE(close(hidden, sampled(field, request), 1e-12));
  EXPECT_FALSE(close(hidden, plain, 1e-3));
}

TEST(Sampling, guidance_needs_labels_and_a_null_class) {
  SamplingSpec request = request_with({.limit = 1});
  request.guidance.scale = 2;
  SitConfig config = small_sit_config();
  config.class_dropout_prob = 0;
  const LearnedField without(model_of(small_sit(config), ObjectiveKind::eqm));
  expect_error(ErrorKind::usage, "guidance needs labels", [&] { sample(without, request); });
  request.labels = Tensor();
  expect_error(ErrorKind::usage, "guidance needs labels",
               [&] { sample(field_of(ObjectiveKind::eqm), request); });
}

TEST(Sampling, shows_every_step_to_an_observer) {
  SamplingSpec request = request_with({.limit = 3});
  std::vector<int64_t> steps;
  Tensor first = torch::zeros_like(start(0, 5));
  request.watch = [&](int64_t row, const Sight& sight) {
    if (row == 2) steps.push_back(sight.step);
    if (sight.step == 0) put_state(sight.x, first, row);
  };
  sample(field_of(ObjectiveKind::eqm), request);
  EXPECT_EQ(steps, (std::vector<int64_t>{0, 1, 2}));
  EXPECT_TRUE(torch::equal(first, start(0, 5)));
}

TEST(Sampling, of_nothing_is_empty) {
  SamplingSpec request = request_with({.limit = 3}, 0);
  const DescentResult result = sample(field_of(ObjectiveKind::eqm), request);
  EXPECT_EQ(result.x.sizes(), Shape({0, 2, 4, 4}));
}

TEST(Sampling, refuses_labels_that_do_not_fit_the_samples) {
  for (const double guidance : {1.0, 2.0}) {
    SamplingSpec request = request_with({.limit = 2});
    request.guidance.scale = guidance;
    request.labels = labels().narrow(0, 0, 3);  // of 5 samples
    expect_error(ErrorKind::usage, "labels",
                 [&] { sample(field_of(ObjectiveKind::eqm), request); });
    request.labels = torch::tensor({0, 1, 2, 3, 9}, torch::kInt64);
    expect_error(ErrorKind::usage, "no class 9",
                 [&] { sample(field_of(ObjectiveKind::eqm), request); });
  }
}

}  // namespace
}  // namespace eqm::test
