// Requests of strangers in one engine: failures, a full queue, turns, deadlines, slow receivers.
#include <atomic>
#include <future>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/base/error.h"
#include "eqm/descend/engine.h"
#include "eqm/descend/rules/rules.h"
#include "eqm/tensor/kernel_path.h"
#include "tests/support/expect_error.h"

namespace eqm::test {
namespace {

// ∇E = x; throws at the evaluation of a given number.
class RoundBowl final : public Field {
 public:
  Tensor gradient(const Tensor& x, const Condition&) const override {
    if (++evaluations == throws_at) throw std::runtime_error("the network broke");
    return x;
  }

  mutable std::atomic<int64_t> evaluations = 0;
  int64_t throws_at = -1;
};

Request steps_of(int64_t limit) {
  return {.start = {1, -1},
          .terms = {},
          .rule = gradient_descent(0.1),
          .stop = {.threshold = 0, .limit = limit}};
}

// A rule whose course throws at its second step, or at once.
class BrokenCourse final : public Course {
 public:
  using Course::Course;
  Move take(const Answer&) override {
    if (++steps_ == 2) throw std::runtime_error("the rule broke");
    return Move::step;
  }

 private:
  int steps_ = 0;
};

// A gradient of one number too many.
class WrongField final : public Field {
 public:
  Tensor gradient(const Tensor& x, const Condition&) const override {
    return torch::zeros({x.size(0), x.size(1) + 1}, x.options());
  }
};

TEST(EngineFailures, a_field_of_another_shape_is_refused) {
  const WrongField field;
  Engine engine(field, {2}, torch::kFloat64, 8);
  engine.submit(steps_of(1));
  expect_error(ErrorKind::usage, "another shape", [&] { engine.run(); });
}

TEST(EngineFailures, a_request_of_very_many_terms_is_refused) {
  const RoundBowl field;
  Engine engine(field, {2}, torch::kFloat64, 8);
  Request request = steps_of(1);
  request.terms.list.assign(1000, {});
  expect_error(ErrorKind::usage, "1000 terms", [&] { engine.submit(request); });
}

TEST(EngineFailures, end_their_own_sample_with_a_message_and_leave_the_others) {
  const RoundBowl field;
  Engine engine(field, {2}, torch::kFloat64, 8);
  std::map<std::string, SampleRecord> records;
  const auto submit = [&](const std::string& name, Request request) {
    request.done = [&records, name](const Outcome& outcome) { records[name] = outcome.record; };
    engine.submit(std::move(request));
  };
  Request watched = steps_of(5);
  watched.watch = [](const Sight& sight) {
    if (sight.step == 3) throw Error(ErrorKind::io, "the watcher broke");
  };
  submit("watch", watched);
  Request broken = steps_of(5);
  broken.rule.start = [](State start, const NoiseSource&) {
    return std::make_unique<BrokenCourse>(std::move(start));
  };
  submit("rule", broken);
  Request stillborn = steps_of(5);
  stillborn.rule.start = [](const State&, const NoiseSource&) -> std::unique_ptr<Course> {
    throw std::runtime_error("no course");
  };
  submit("start", stillborn);
  Request timed = steps_of(5);
  timed.clock = [](int64_t step) { return step < 2 ? 0.0 : throw 7; };
  submit("clock", timed);
  submit("sound", steps_of(5));
  engine.run();
  ASSERT_EQ(records.size(), 5U);
  const std::map<std::string, std::pair<std::string, int64_t>> expected = {
      {"watch", {"the watcher broke", 3}},
      {"rule", {"the rule broke", 1}},
      {"start", {"no course", 0}},
      {"clock", {"something that is no std::exception was thrown", 2}}};
  for (const auto& [name, failure] : expected) {
    SCOPED_TRACE(name);
    EXPECT_EQ(records.at(name).status, DescentStatus::failed);
    EXPECT_EQ(records.at(name).message, failure.first);
    EXPECT_EQ(records.at(name).steps, failure.second);
  }
  EXPECT_EQ(records.at("sound").status, DescentStatus::limit);
  EXPECT_EQ(records.at("sound").steps, 5);
  EXPECT_EQ(records.at("sound").message, "");
  EXPECT_EQ(engine.counts().failed, 4);
  EXPECT_EQ(engine.counts().finished, 5);
  EXPECT_EQ(engine.counts().active, 0);
}

TEST(EngineFailures, of_a_receiver_are_reported_and_the_engine_goes_on) {
  for (const Delivery delivery : {Delivery::engine_thread, Delivery::consumer_thread}) {
    const RoundBowl field;
    std::vector<std::pair<uint64_t, std::string>> reported;
    EngineOptions options = {.capacity = 2, .delivery = delivery};
    options.receiver_failed = [&](uint64_t id, const SampleRecord& record) {
      EXPECT_EQ(record.status, DescentStatus::failed);
      EXPECT_EQ(record.steps, 3);
      reported.emplace_back(id, record.message);
    };
    Engine engine(field, {2}, torch::kFloat64, options);
    int received = 0;
    Request request = steps_of(3);
    request.done = [](const Outcome&) { throw Error(ErrorKind::io, "the disk is full"); };
    const Engine::Id bad = engine.submit(request);
    request.done = [&](const Outcome&) { ++received; };
    for (int i = 0; i < 4; ++i) engine.submit(request);
    engine.run();
    EXPECT_EQ(received, 4);
    EXPECT_EQ(reported, (std::vector{std::pair<uint64_t, std::string>(bad, "the disk is full")}));
    EXPECT_EQ(engine.counts().failed, 1);
    engine.submit(request);
    engine.run();
    EXPECT_EQ(received, 5);
  }
}

TEST(EngineFailures, of_the_field_fail_the_batch_and_come_out_of_run) {
  RoundBowl field;
  field.throws_at = 2;
  Engine engine(field, {2}, torch::kFloat64, 2);
  std::vector<SampleRecord> records;
  for (int i = 0; i < 3; ++i) {
    Request request = steps_of(4);
    request.done = [&](const Outcome& outcome) { records.push_back(outcome.record); };
    engine.submit(std::move(request));
  }
  EXPECT_THROW(engine.run(), std::runtime_error);
  ASSERT_EQ(records.size(), 2U) << "the third waited";
  for (const SampleRecord& record : records) {
    EXPECT_EQ(record.status, DescentStatus::failed);
    EXPECT_EQ(record.message, "the network broke");
    EXPECT_EQ(record.steps, 1);
  }
  engine.run();
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records.back().status, DescentStatus::limit);
}

TEST(EngineFailures, of_whoever_runs_it_come_out_and_lose_nothing) {
  const RoundBowl field;
  Engine engine(field, {2}, torch::kFloat64, 2);
  int64_t steps = 0;
  Request request = steps_of(6);
  request.done = [&](const Outcome& outcome) { steps = outcome.record.steps; };
  engine.submit(std::move(request));
  EXPECT_THROW(engine.run({}, [] { throw std::runtime_error("stop here"); }), std::runtime_error);
  EXPECT_EQ(engine.counts().active, 1);
  engine.run();
  EXPECT_EQ(steps, 6);
}

TEST(EngineQueue, answers_when_it_is_full) {
  const RoundBowl field;
  Engine engine(field, {2}, torch::kFloat64, EngineOptions{.capacity = 1, .queue = 2});
  EXPECT_TRUE(engine.try_submit(steps_of(3)).has_value());
  EXPECT_TRUE(engine.try_submit(steps_of(3)).has_value());
  EXPECT_FALSE(engine.try_submit(steps_of(3)).has_value());
  expect_error(ErrorKind::usage, "queue is full: 2", [&] { engine.submit(steps_of(3)); });
  EXPECT_EQ(engine.counts().queued, 2);
  engine.run();
  EXPECT_EQ(engine.counts().finished, 2);
  EXPECT_TRUE(engine.try_submit(steps_of(3)).has_value()) << "there is room again";
}

TEST(EngineQueue, clients_take_turns) {
  const RoundBowl field;
  Engine engine(field, {2}, torch::kFloat64, 1);
  std::string order;
  const auto submit = [&](char client, int count) {
    for (int i = 0; i < count; ++i) {
      Request request = steps_of(1);
      request.client = static_cast<uint64_t>(client);
      request.done = [&order, client](const Outcome&) { order += client; };
      engine.submit(std::move(request));
    }
  };
  submit('a', 5);
  submit('b', 2);
  submit('c', 3);
  engine.run();
  EXPECT_EQ(order, "abcabcacaa");
}

TEST(EngineQueue, keeps_the_turns_when_some_leave) {
  const RoundBowl field;
  Engine engine(field, {2}, torch::kFloat64, 1);
  std::string ended;
  std::map<char, std::vector<Engine::Id>> ids;
  for (const char client : {'a', 'a', 'b', 'b', 'c'}) {
    Request request = steps_of(1);
    request.client = static_cast<uint64_t>(client);
    request.done = [&ended, client](const Outcome& outcome) {
      const bool whole = outcome.record.status == DescentStatus::limit;
      ended += whole ? client : static_cast<char>(client - 'a' + 'A');
    };
    ids[client].push_back(engine.submit(std::move(request)));
  }
  for (const Engine::Id id : ids['b']) engine.cancel(id);
  engine.run();
  EXPECT_EQ(ended, "BBaca");
}

TEST(EngineDeadlines, end_samples_within_one_tick_wherever_they_are) {
  const RoundBowl field;
  const Deadline zero{};
  int64_t ticks = 0;  // an hour each
  EngineOptions options = {.capacity = 2};
  options.now = [&] { return zero + std::chrono::hours(ticks); };
  Engine engine(field, {2}, torch::kFloat64, options);
  std::map<std::string, SampleRecord> records;
  std::map<std::string, int64_t> ended_at;
  const auto submit = [&](const std::string& name, std::optional<int64_t> hours) {
    Request request = steps_of(8);
    if (hours) request.deadline = zero + std::chrono::hours(*hours);
    request.done = [&, name](const Outcome& outcome) {
      records[name] = outcome.record;
      ended_at[name] = ticks;
    };
    engine.submit(std::move(request));
  };
  submit("active", 3);
  submit("unbounded", {});
  submit("late", 100);
  submit("queued", 2);
  submit("past", 0);
  engine.run({}, [&] { ++ticks; });
  EXPECT_EQ(records.at("active").status, DescentStatus::expired);
  EXPECT_EQ(records.at("active").steps, 3);
  EXPECT_EQ(records.at("unbounded").status, DescentStatus::limit);
  EXPECT_EQ(records.at("late").status, DescentStatus::limit);
  EXPECT_EQ(records.at("queued").status, DescentStatus::expired);
  EXPECT_EQ(records.at("queued").steps, 0);
  EXPECT_EQ(records.at("past").status, DescentStatus::expired);
  EXPECT_EQ(ended_at.at("past"), 0);
  EXPECT_EQ(ended_at.at("queued"), 2);
  EXPECT_EQ(ended_at.at("active"), 3);
}

TEST(EngineCancellation, takes_effect_before_the_next_tick) {
  const RoundBowl field;
  Engine engine(field, {2}, torch::kFloat64, 1);
  std::vector<int64_t> steps;
  std::vector<Engine::Id> ids;
  for (int i = 0; i < 2; ++i) {
    Request request = steps_of(100);
    request.done = [&](const Outcome& outcome) { steps.push_back(outcome.record.steps); };
    ids.push_back(engine.submit(std::move(request)));
  }
  int64_t ticks = 0;
  engine.run({}, [&] {
    if (++ticks == 7) {
      for (const Engine::Id id : ids) engine.cancel(id);
    }
  });
  EXPECT_EQ(ticks, 7);
  EXPECT_EQ(steps, (std::vector<int64_t>{7, 0}));
}

// The receiver of the first sample waits until the engine has ticked on for long: it would never
// return if a tick waited for it.
TEST(EngineConsumer, a_slow_receiver_stalls_no_tick) {
  const RoundBowl field;
  Engine engine(field, {2}, torch::kFloat64,
                EngineOptions{.capacity = 4, .delivery = Delivery::consumer_thread});
  std::promise<void> ticked_on;
  std::vector<int> order;
  for (int i = 0; i < 6; ++i) {
    Request request = steps_of(i == 5 ? 1000 : 2);
    request.done = [&, i, first = i == 0](const Outcome&) {
      if (first) ticked_on.get_future().wait();
      order.push_back(i);
    };
    engine.submit(std::move(request));
  }
  int64_t ticks = 0;
  engine.run({}, [&] {
    if (++ticks == 500) ticked_on.set_value();
  });
  EXPECT_GE(ticks, 1000);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5})) << "as they ended";
}

TEST(EngineConsumer, no_more_outcomes_wait_than_the_backlog_and_a_batch) {
  const RoundBowl field;
  constexpr int64_t kCapacity = 3, kBacklog = 4, kCount = 200;
  Engine engine(
      field, {2}, torch::kFloat64,
      EngineOptions{
          .capacity = kCapacity, .delivery = Delivery::consumer_thread, .backlog = kBacklog});
  std::atomic<int64_t> received = 0, most_open = 0;
  int64_t brought = 0;
  engine.run([&]() -> std::optional<Request> {
    if (brought == kCount) return std::nullopt;
    most_open = std::max<int64_t>(most_open, ++brought - received);
    Request request = steps_of(1 + brought % 3);
    request.done = [&](const Outcome&) {
      std::this_thread::yield();
      ++received;
    };
    return request;
  });
  EXPECT_EQ(received, kCount);
  // One more is being delivered while it is counted as waiting no longer.
  EXPECT_LE(most_open, kBacklog + kCapacity + 1);
}

TEST(EngineConsumer, a_supply_is_asked_again_when_outcomes_were_delivered) {
  const RoundBowl field;
  Engine engine(field, {2}, torch::kFloat64,
                EngineOptions{.capacity = 2, .delivery = Delivery::consumer_thread});
  std::atomic<int> received = 0;
  int brought = 0;
  engine.run([&]() -> std::optional<Request> {
    // One at a time: nothing is under way when the next could be brought.
    if (brought == 10 || brought > received) return std::nullopt;
    ++brought;
    Request request = steps_of(1);
    request.done = [&](const Outcome&) { ++received; };
    return request;
  });
  EXPECT_EQ(received, 10);
}

TEST(EngineConsumer, a_run_ends_after_what_receivers_submit) {
  const RoundBowl field;
  Engine engine(field, {2}, torch::kFloat64,
                EngineOptions{.capacity = 2, .delivery = Delivery::consumer_thread});
  std::atomic<int> received = 0;
  std::function<void(const Outcome&)> follow_up = [&](const Outcome&) {
    if (++received == 5) return;
    Request next = steps_of(1);
    next.done = follow_up;
    engine.submit(std::move(next));
  };
  Request first = steps_of(1);
  first.done = follow_up;
  engine.submit(std::move(first));
  engine.run();
  EXPECT_EQ(received, 5);
}

TEST(EngineConsumer, computes_as_the_thread_that_ticks) {
  const RoundBowl field;
  for (const kernel::Path path : {kernel::Path::fused, kernel::Path::plain}) {
    const kernel::PathScope scope(path);
    Engine engine(field, {2}, torch::kFloat64,
                  EngineOptions{.capacity = 2, .delivery = Delivery::consumer_thread});
    std::optional<kernel::Path> seen;
    int threads = 0;
    Request request = steps_of(1);
    request.done = [&](const Outcome&) {
      seen = kernel::path();
      threads = at::get_num_threads();
    };
    engine.submit(std::move(request));
    engine.run();
    EXPECT_EQ(seen, path);
    EXPECT_EQ(threads, at::get_num_threads());
  }
}

TEST(EngineConsumer, serves_and_drains_before_it_ends) {
  const RoundBowl field;
  Engine engine(field, {2}, torch::kFloat64,
                EngineOptions{.capacity = 2, .delivery = Delivery::consumer_thread});
  std::atomic<int> received = 0;
  std::thread server([&] { engine.serve(); });
  for (int i = 0; i < 30; ++i) {
    Request request = steps_of(1 + i % 4);
    request.client = static_cast<uint64_t>(i % 3);
    request.done = [&](const Outcome&) {
      if (++received < 10) engine.submit(steps_of(2));  // callbacks may submit
    };
    engine.submit(std::move(request));
  }
  while (received < 10) std::this_thread::yield();
  engine.close();
  server.join();
  EXPECT_EQ(received, 30);
  EXPECT_EQ(engine.counts().finished, 39);
}

}  // namespace
}  // namespace eqm::test
