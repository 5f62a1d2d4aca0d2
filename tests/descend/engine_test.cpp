#include "eqm/descend/engine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/descend/integrators/integrators.h"
#include "eqm/descend/rules/rules.h"
#include "eqm/landscape/model.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

// ∇E = rate(label) x with rates (1 + label)/4; counts batches and their sizes.
class Bowl final : public Field {
 public:
  Tensor gradient(const Tensor& x, const Condition& condition) const override {
    batches.push_back(x.size(0));
    const Tensor rate = 0.25 * (1 + condition.labels.to(x.scalar_type()));
    return rate.unsqueeze(1) * x;
  }
  int64_t label_count() const override { return 10; }
  int64_t null_label() const override { return 9; }

  mutable std::vector<int64_t> batches;
};

constexpr double kEta = 0.4;

Request request_of(double start, int64_t label, StopTest stop = {.threshold = 0.01}) {
  return {
      .start = {start, -start}, .terms = only(label), .rule = gradient_descent(kEta), .stop = stop};
}

TEST(Engine, keeps_the_batch_full_while_samples_wait) {
  const Bowl field;
  Engine engine(field, {2}, torch::kFloat64, 4);
  int64_t evaluations = 0, finished = 0;
  for (int i = 0; i < 20; ++i) {
    Request request = request_of(1 + i, i % 5);
    request.done = [&](const Outcome& outcome) {
      evaluations += outcome.record.evaluations;
      ++finished;
    };
    engine.submit(std::move(request));
  }
  engine.run();
  EXPECT_EQ(finished, 20);
  // Full until the last four are under way, and no row is ever evaluated for nothing.
  int64_t rows = 0;
  size_t below = 0;
  for (const int64_t batch : field.batches) {
    EXPECT_LE(batch, 4);
    rows += batch;
    below += batch < 4 ? 1 : 0;
  }
  EXPECT_EQ(rows, evaluations);
  EXPECT_EQ(engine.counts().rows, rows);
  EXPECT_EQ(engine.counts().ticks, static_cast<int64_t>(field.batches.size()));
  EXPECT_TRUE(std::is_sorted(field.batches.rbegin(), field.batches.rend()));
  EXPECT_LT(below, field.batches.size() / 2);
}

TEST(Engine, samples_with_several_terms_take_several_rows) {
  const Bowl field;
  Engine engine(field, {2}, torch::kFloat64, 5);
  for (int i = 0; i < 4; ++i) {
    Request request = request_of(1, 0, {.limit = 3});
    request.terms = guidance(2, 1.5);
    engine.submit(std::move(request));
  }
  engine.run();
  EXPECT_EQ(field.batches, (std::vector<int64_t>{4, 4, 4, 4, 4, 4})) << "two samples, not a half";
  EXPECT_EQ(engine.counts().rows, 4 * 2 * 3);
}

// What is left to do can be told after every batch: all samples need as much as those on their way
// have taken for their share of it.
TEST(Engine, counts_evaluations_and_how_much_of_the_way_is_gone) {
  const Bowl field;
  Engine engine(field, {2}, torch::kFloat64, 4);
  for (int i = 0; i < 6; ++i) {
    Request request = request_of(1, 0, {.limit = 5});
    if (i % 2 == 1) request.rule = runge_kutta(RungeKutta::midpoint, 5);
    if (i == 0) request.terms = guidance(2, 1.5);
    engine.submit(std::move(request));
  }
  double before = 0;
  engine.run({}, [&] {
    const EngineCounts counts = engine.counts();
    EXPECT_GE(counts.ways, before);
    EXPECT_GE(counts.ways, static_cast<double>(counts.finished));
    EXPECT_LE(counts.ways, static_cast<double>(counts.finished + counts.active));
    before = counts.ways;
  });
  EXPECT_EQ(before, 6);
  EXPECT_EQ(engine.counts().evaluations, 3 * 5 + 3 * 10);
  EXPECT_EQ(engine.counts().finished_evaluations, 3 * 5 + 3 * 10);
  EXPECT_EQ(engine.counts().rows, 3 * 5 + 3 * 10 + 5);
}

TEST(Engine, knows_how_far_dopri5_has_come) {
  const Bowl field;
  Engine engine(field, {2}, torch::kFloat64, 1);
  Request request = request_of(1, 0, {.limit = 1'000'000});
  request.rule = dopri5({.atol = 1e-10, .rtol = 1e-10});
  engine.submit(std::move(request));
  std::vector<double> ways;
  engine.run({}, [&] { ways.push_back(engine.counts().ways); });
  EXPECT_TRUE(std::is_sorted(ways.begin(), ways.end()));
  EXPECT_EQ(ways.back(), 1);
  EXPECT_GT(ways[ways.size() / 2], 0.1);
  EXPECT_LT(ways[ways.size() / 2], 0.9);
}

TEST(Engine, more_terms_than_rows_go_alone) {
  const Bowl field;
  Engine engine(field, {2}, torch::kFloat64, 2);
  for (const bool many : {false, true, false}) {
    Request request = request_of(1, 0, {.limit = 2});
    if (many) request.terms = composition({0, 1, 2});
    engine.submit(std::move(request));
  }
  engine.run();
  EXPECT_EQ(field.batches, (std::vector<int64_t>{1, 1, 3, 3, 1, 1}));
  // The same when they come from a supply.
  field.batches.clear();
  int brought = 0;
  engine.run([&]() -> std::optional<Request> {
    if (brought == 3) return std::nullopt;
    Request request = request_of(1, 0, {.limit = 2});
    if (brought++ == 1) request.terms = composition({0, 1, 2});
    return request;
  });
  EXPECT_EQ(field.batches, (std::vector<int64_t>{1, 1, 3, 3, 1, 1}));
}

// A random mix of requests, each alone and all together in random order and capacity. The small
// network's matrix products may round differently in other batches: in float64 by some units of
// 1e-16 of the values, which 60 steps of a smooth field do not blow up beyond 1e-10.
RC_GTEST_PROP(Engine, a_sample_depends_on_its_request_alone, ()) {
  constexpr double kBound = 1e-10;
  static const LearnedField field(model_of(small_sit(), ObjectiveKind::eqm_dot));
  const std::vector<Rule> rules = {gradient_descent(0.05), nesterov_look_ahead(0.05, 0.4),
                                   adam(0.02, 0.9, 0.99),  barzilai_borwein(0.02, 5),
                                   langevin(0.05, 0.01),   backtracking(0.1),
                                   walk_and_land({})};
  const auto count = *rc::gen::inRange<size_t>(1, 9);
  const auto capacity = *rc::gen::inRange<int64_t>(1, 12);
  std::vector<Request> requests;
  for (size_t i = 0; i < count; ++i) {
    Request request;
    request.start = State(32);
    fill_normal({.seed = *rc::gen::inRange<uint64_t>(0, 99), .sample = i},
                std::span<double>(&request.start[0], 32));
    request.rule = rules[*rc::gen::inRange<size_t>(0, rules.size())];
    const auto label = *rc::gen::inRange<int64_t>(0, 3);
    request.terms = *rc::gen::element(only(label), guidance(label, 2), composition({label, 0, 1}));
    request.stop = {.threshold = *rc::gen::element(0.0, 0.5), .limit = 60};
    request.noise = {.seed = 5, .sample = i};
    requests.push_back(request);
  }
  const auto run = [&](const std::vector<size_t>& order, int64_t rows) {
    std::map<size_t, Outcome> outcomes;
    Engine engine(field, {2, 4, 4}, torch::kFloat64, rows);
    size_t next = 0;
    const auto submit_one = [&] {
      if (next == order.size()) return;
      const size_t i = order[next++];
      Request request = requests[i];
      request.done = [&outcomes, i](Outcome outcome) { outcomes[i] = std::move(outcome); };
      engine.submit(std::move(request));
    };
    // Half of them at once, the others one by one while it runs.
    while (next < (order.size() + 1) / 2) submit_one();
    engine.run({}, submit_one);
    while (next < order.size()) {  // those for which it was over too soon
      submit_one();
      engine.run();
    }
    return outcomes;
  };
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(*rc::gen::arbitrary<uint32_t>()));
  const auto together = run(order, capacity);
  RC_ASSERT(together.size() == count);
  for (size_t i = 0; i < count; ++i) {
    const Outcome alone = run({i}, 100).at(i);
    const Outcome& mixed = together.at(i);
    RC_ASSERT(mixed.record.status == alone.record.status);
    RC_ASSERT(mixed.record.steps == alone.record.steps);
    RC_ASSERT(mixed.record.evaluations == alone.record.evaluations);
    RC_ASSERT(norm(mixed.x - alone.x) <= kBound * (1 + norm(alone.x)));
  }
}

// In float32 products round to units of 1e-7 of the values, and 40 smooth steps of size 0.05 let
// that grow to less than 1e-4.
TEST(Engine, a_sample_depends_on_its_request_alone_in_float32_too) {
  constexpr double kBound = 1e-4;
  const auto sit = small_sit();
  sit->to(torch::kFloat32);
  const LearnedField field(model_of(sit, ObjectiveKind::eqm));
  const auto run = [&](size_t count, int64_t rows) {
    std::vector<State> ends(count);
    Engine engine(field, {2, 4, 4}, torch::kFloat32, rows);
    for (size_t i = 0; i < count; ++i) {
      Request request;
      request.start = State(32);
      fill_normal({.seed = 4, .sample = i}, std::span<double>(&request.start[0], 32));
      request.rule = i % 2 == 0 ? gradient_descent(0.05) : nesterov_look_ahead(0.05, 0.4);
      request.terms = guidance(static_cast<int64_t>(i % 3), 1.5);
      request.stop = {.limit = 20 + static_cast<int64_t>(i % 20)};
      request.done = [&ends, i](Outcome outcome) { ends[i] = std::move(outcome.x); };
      engine.submit(std::move(request));
    }
    engine.run();
    return ends;
  };
  const std::vector<State> wide = run(30, 64), narrow = run(30, 2), odd = run(30, 7);
  for (size_t i = 0; i < wide.size(); ++i) {
    EXPECT_LE(norm(wide[i] - narrow[i]), kBound * norm(wide[i])) << i;
    EXPECT_LE(norm(wide[i] - odd[i]), kBound * norm(wide[i])) << i;
  }
}

TEST(Engine, ends_every_sample_with_its_status) {
  const Bowl field;
  Engine engine(field, {2}, torch::kFloat64, 3);
  std::map<std::string, DescentStatus> statuses;
  const auto submit = [&](const std::string& name, Request request) {
    request.done = [&statuses, name](const Outcome& outcome) {
      statuses[name] = outcome.record.status;
    };
    return engine.submit(std::move(request));
  };
  submit("rest", request_of(1, 3));
  submit("limit", request_of(1, 3, {.threshold = 1e-9, .limit = 4}));
  Request wild = request_of(1, 3, {.limit = 100000});
  wild.rule = gradient_descent(50);
  submit("wild", std::move(wild));
  Request landing = request_of(1, 3, {.limit = 100});
  landing.rule = walk_and_land({});
  submit("landing", std::move(landing));
  engine.cancel(submit("unwanted", request_of(1, 3)));
  engine.run();
  const std::map<std::string, DescentStatus> expected = {{"rest", DescentStatus::converged},
                                                         {"limit", DescentStatus::limit},
                                                         {"wild", DescentStatus::diverged},
                                                         {"landing", DescentStatus::arrived},
                                                         {"unwanted", DescentStatus::cancelled}};
  EXPECT_EQ(statuses, expected);
  EXPECT_EQ(engine.counts().finished, 5);
}

TEST(Engine, asks_a_supply_only_when_there_is_room) {
  const Bowl field;
  Engine engine(field, {2}, torch::kFloat64, 3);
  int brought = 0, ended = 0, most_open = 0;
  engine.run([&]() -> std::optional<Request> {
    if (brought == 50) return std::nullopt;
    ++brought;
    most_open = std::max(most_open, brought - ended);
    Request request = request_of(1 + brought, brought % 4);
    request.done = [&](const Outcome&) { ++ended; };
    return request;
  });
  EXPECT_EQ(ended, 50);
  EXPECT_EQ(most_open, 3);
}

TEST(Engine, cancels_from_within_a_callback) {
  const Bowl field;
  Engine engine(field, {2}, torch::kFloat64, 2);
  std::vector<Outcome> ended;
  for (int i = 0; i < 6; ++i) {
    Request request = request_of(1, 0, {.limit = 1000});
    request.watch = [&](const Sight& sight) {
      if (sight.step == 3) engine.cancel_all();
    };
    request.done = [&](Outcome outcome) { ended.push_back(std::move(outcome)); };
    engine.submit(std::move(request));
  }
  engine.run();
  ASSERT_EQ(ended.size(), 6U);
  for (const Outcome& outcome : ended) {
    EXPECT_EQ(outcome.record.status, DescentStatus::cancelled);
    EXPECT_LE(outcome.record.steps, 4);
  }
}

TEST(Engine, cancels_one_sample_that_is_under_way_and_leaves_the_others) {
  const Bowl field;
  Engine engine(field, {2}, torch::kFloat64, 3);
  std::map<int, SampleRecord> records;
  std::vector<Engine::Id> ids;
  for (int i = 0; i < 3; ++i) {
    Request request = request_of(1, 0, {.limit = 10});
    request.done = [&records, i](const Outcome& outcome) { records[i] = outcome.record; };
    ids.push_back(engine.submit(std::move(request)));
  }
  int ticks = 0;
  engine.run({}, [&] {
    if (++ticks == 4) engine.cancel(ids[1]);
  });
  EXPECT_EQ(records[1].status, DescentStatus::cancelled);
  EXPECT_EQ(records[1].steps, 4);
  for (const int other : {0, 2}) EXPECT_EQ(records[other].steps, 10);
}

TEST(Engine, cancelling_all_spares_what_is_submitted_later) {
  const Bowl field;
  Engine engine(field, {2}, torch::kFloat64, 3);
  std::vector<DescentStatus> ends;
  const auto submit = [&] {
    Request request = request_of(1, 0, {.limit = 3});
    request.done = [&](const Outcome& outcome) { ends.push_back(outcome.record.status); };
    engine.submit(std::move(request));
  };
  submit();
  engine.cancel_all();
  submit();
  int brought = 0;
  engine.run([&]() -> std::optional<Request> {
    if (brought == 1) return std::nullopt;
    ++brought;
    return request_of(1, 0, {.limit = 3});
  });
  EXPECT_EQ(ends, (std::vector{DescentStatus::cancelled, DescentStatus::limit}));
  EXPECT_EQ(brought, 1) << "a cancellation before the run does not end its supply";
}

TEST(Engine, takes_nothing_after_it_was_closed) {
  const Bowl field;
  Engine engine(field, {2}, torch::kFloat64, 3);
  engine.submit(request_of(1, 0));
  engine.close();
  expect_error(ErrorKind::usage, "no more samples", [&] { engine.submit(request_of(1, 0)); });
  engine.serve();
  EXPECT_EQ(engine.counts().finished, 1);
}

TEST(Engine, asks_for_no_memory_after_the_first_tick) {
  const std::shared_ptr<Sit> sit = small_sit();
  sit->to(torch::kFloat32);
  const LearnedField field(model_of(sit, ObjectiveKind::eqm));
  const auto fresh = [&](int64_t steps) {
    Engine engine(field, sit->state_shape(), torch::kFloat32, 3);
    constexpr size_t kSize = 2 * 4 * 4;
    for (int64_t i = 0; i < 3; ++i) {
      engine.submit({.start = State(0.1, kSize),
                     .terms = only(i % 2),
                     .rule = gradient_descent(0.01),
                     .stop = {.limit = steps}});
    }
    engine.run();
    EXPECT_GT(engine.memory().taken, steps * 10);
    return engine.memory().fresh;
  };
  fresh(1);  // label conditioning and packed weights belong to the model
  EXPECT_EQ(fresh(20), fresh(1));
}

// Several threads submit and cancel while one serves; run under the thread sanitizer too.
TEST(Engine, takes_requests_from_several_threads_while_it_runs) {
  const Bowl field;
  Engine engine(field, {2}, torch::kFloat64, 5);
  std::atomic<int> ended = 0, cancelled = 0;
  std::thread server([&] { engine.serve(); });
  std::vector<std::thread> clients;
  for (int t = 0; t < 3; ++t) {
    clients.emplace_back([&, t] {
      for (int i = 0; i < 40; ++i) {
        Request request = request_of(1 + i, (t + i) % 8, {.threshold = 1e-6, .limit = 200});
        request.done = [&](const Outcome& outcome) {
          ++ended;
          if (outcome.record.status == DescentStatus::cancelled) ++cancelled;
        };
        const Engine::Id id = engine.submit(std::move(request));
        if (i % 10 == 9) engine.cancel(id);
        engine.counts();
      }
    });
  }
  for (std::thread& client : clients) client.join();
  engine.close();
  server.join();
  EXPECT_EQ(ended, 120);
  EXPECT_LE(cancelled, 12);  // some were done before
  EXPECT_EQ(engine.counts().queued, 0);
  EXPECT_EQ(engine.counts().active, 0);
}

TEST(Engine, is_cancelled_from_another_thread_again_and_again) {
  const Bowl field;
  Engine engine(field, {2}, torch::kFloat64, 5);
  std::atomic<int> cancelled = 0;
  std::thread server([&] { engine.serve(); });
  std::thread client([&] {
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 10; ++i) {
        Request request = request_of(1, 0, {.threshold = 0, .limit = int64_t{1} << 40});
        request.done = [&](const Outcome& outcome) {
          cancelled += outcome.record.status == DescentStatus::cancelled ? 1 : 0;
        };
        engine.submit(std::move(request));
      }
      engine.cancel_all();
    }
  });
  client.join();
  engine.close();
  server.join();
  EXPECT_EQ(cancelled, 200) << "none would ever end by itself";
}

TEST(Engine, refuses_what_can_never_work) {
  const Bowl field;
  Engine engine(field, {2}, torch::kFloat64, 2);
  Request request = request_of(1, 0);
  request.start = {1, 2, 3};
  expect_error(ErrorKind::usage, "3 numbers", [&] { engine.submit(request); });
  request.start = {1, std::nan("")};
  expect_error(ErrorKind::usage, "not finite", [&] { engine.submit(request); });
  request = request_of(1, 55);
  expect_error(ErrorKind::usage, "no class 55", [&] { engine.submit(request); });
  request = request_of(1, 0);
  request.rule = backtracking(0.1);
  expect_error(ErrorKind::usage, "energies", [&] { engine.submit(request); });
  request = request_of(1, 0);
  request.rule = {};
  expect_error(ErrorKind::usage, "rule", [&] { engine.submit(request); });
  request = request_of(1, 0, {.limit = -1});
  expect_error(ErrorKind::usage, "limit", [&] { engine.submit(request); });
  engine.run();  // nothing of it was queued
  EXPECT_TRUE(field.batches.empty());
}

TEST(Engine, refuses_more_rows_than_the_machine_can_hold) {
  const LearnedField field(model_of(small_sit(), ObjectiveKind::eqm));
  expect_error(ErrorKind::usage, "of memory", [&] {
    Engine(field, {2, 4, 4}, torch::kFloat64, int64_t{1} << 50);
  });
}

TEST(Engine, chooses_rows_by_the_memory_of_a_row) {
  const Bowl light;
  EXPECT_EQ(Engine(light, {2}, torch::kFloat64).capacity(), 4096);
  const LearnedField small(model_of(small_sit(), ObjectiveKind::eqm));
  const LearnedField energy(model_of(small_sit(), ObjectiveKind::eqm_dot));
  EXPECT_GE(default_capacity(small), default_capacity(energy));
}

struct Stop {
  int step = -1;
  Resting how = Resting::no;

  bool operator==(const Stop&) const = default;
};

Stop stop_of(const StopTest& test, const std::vector<double>& norms) {
  Rest rest;
  for (size_t k = 0; k < norms.size(); ++k) {
    const Resting how = rest.with(test, norms[k]);
    if (how != Resting::no) return {.step = static_cast<int>(k), .how = how};
  }
  return {};
}

// The norms of a picture on its way: flat with some noise, then down, then flat.
TEST(StopTest, a_plateau_needs_a_norm_that_has_fallen) {
  std::vector<double> norms = {100, 101, 103, 104, 103, 105, 106, 105, 104, 104, 103, 104, 90};
  EXPECT_EQ(stop_of({.plateau = 5}, norms), Stop());
  for (const double next : {60.0, 30.0, 10.0, 5.0, 4.0, 4.1, 3.999, 4.2, 4.0, 4.05, 4.1}) {
    norms.push_back(next);
  }
  EXPECT_EQ(stop_of({.plateau = 5}, norms), (Stop{.step = 22, .how = Resting::plateau}));
  EXPECT_EQ(stop_of({.threshold = 4, .plateau = 5}, norms),
            (Stop{.step = 17, .how = Resting::converged}));
  const std::vector<double> still(30, 2.0);
  EXPECT_EQ(stop_of({.plateau = 5}, still), Stop()) << "nothing has fallen";
}

TEST(StopTest, a_norm_that_rises_has_not_fallen) {
  EXPECT_EQ(stop_of({.plateau = 5}, {1, 2, 3, 3, 3, 3, 3, 3}), Stop());
  EXPECT_EQ(stop_of({.plateau = 5}, {1, 2.5, 3, 3, 3, 3, 3, 3, 3, 3}), Stop());
  EXPECT_EQ(stop_of({.plateau = 2}, {4, 1, 1, 9, 8, 8, 8}), Stop()) << "a rise begins anew";
  EXPECT_EQ(stop_of({.plateau = 2}, {1, 9, 4, 4, 4}), (Stop{.step = 4, .how = Resting::plateau}));
}

TEST(StopTest, knows_thresholds_fractions_and_plateaus) {
  const auto steps = [](const StopTest& test, const std::vector<double>& norms) {
    return stop_of(test, norms).step;
  };
  const std::vector<double> norms = {8, 6, 4, 4.5, 4.2, 4.1, 3, 3, 3, 3, 3};
  EXPECT_EQ(steps({}, norms), -1);
  EXPECT_EQ(steps({.threshold = 4.2}, norms), 2);
  EXPECT_EQ(steps({.fraction = 0.4}, norms), 6);
  EXPECT_EQ(steps({.plateau = 3}, norms), 5);
  EXPECT_EQ(steps({.plateau = 4}, norms), 10);
  EXPECT_EQ(steps({.threshold = 1, .fraction = 0.8, .plateau = 3}, norms), 1);
  for (const StopTest& bad : {StopTest{.fraction = 1}, StopTest{.fraction = -0.1},
                              StopTest{.plateau = -1}, StopTest{.threshold = std::nan("")}}) {
    expect_error(ErrorKind::usage, "threshold", [&] { bad.validate(); });
  }
}

}  // namespace
}  // namespace eqm::test
