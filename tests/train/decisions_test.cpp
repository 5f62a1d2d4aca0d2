#include "eqm/train/decisions.h"

#include <gtest/gtest.h>

namespace eqm::test {
namespace {

TrainOptions ten_steps() {
  TrainOptions options;
  options.steps = 10;
  options.cadence.log_every = 4;
  options.cadence.checkpoint_every = 3;
  return options;
}

std::vector<int64_t> steps_where(const std::function<bool(int64_t)>& holds) {
  std::vector<int64_t> steps;
  for (int64_t step = 1; step <= 10; ++step) {
    if (holds(step)) steps.push_back(step);
  }
  return steps;
}

using Steps = std::vector<int64_t>;

TEST(Decisions, follow_the_cadence_and_take_the_last_step_along) {
  const Decisions decisions(ten_steps(), [] { return false; });
  EXPECT_EQ(steps_where([&](int64_t step) { return decisions.log_now(step); }), (Steps{4, 8, 10}));
  EXPECT_EQ(steps_where([&](int64_t step) { return decisions.checkpoint_now(step); }),
            (Steps{3, 6, 9, 10}));
  EXPECT_EQ(steps_where([&](int64_t step) { return decisions.is_wanted(step, 5); }),
            (Steps{5, 10}));
  EXPECT_EQ(steps_where([&](int64_t step) { return decisions.is_wanted(step, 0); }), Steps{});
}

TEST(Decisions, end_with_the_steps_or_a_stop) {
  bool stop = false;
  const Decisions decisions(ten_steps(), [&] { return stop; });
  EXPECT_TRUE(decisions.take_step(0));
  EXPECT_TRUE(decisions.take_step(9));
  EXPECT_FALSE(decisions.take_step(10));
  EXPECT_FALSE(decisions.is_complete(9));
  EXPECT_TRUE(decisions.is_complete(10));
  stop = true;
  EXPECT_FALSE(decisions.take_step(0));
}

TEST(Decisions, a_stop_leaves_out_measurements_unless_the_run_is_complete) {
  bool stop = false;
  const Decisions decisions(ten_steps(), [&] { return stop; });
  EXPECT_TRUE(decisions.time_to_measure(5));
  stop = true;
  EXPECT_FALSE(decisions.time_to_measure(5));
  EXPECT_TRUE(decisions.time_to_measure(10));
}

TEST(Decisions, without_a_run_are_only_the_number_of_steps) {
  const Decisions decisions(10);
  EXPECT_TRUE(decisions.take_step(9));
  EXPECT_FALSE(decisions.take_step(10));
  EXPECT_EQ(steps_where([&](int64_t step) { return decisions.log_now(step); }), Steps{10});
}

TEST(Decisions, work_is_kept_unless_its_numbers_are_lost) {
  EXPECT_TRUE(keeps_work_after(Error(ErrorKind::io, "disk", "")));
  EXPECT_TRUE(keeps_work_after(Error(ErrorKind::input, "data", "")));
  EXPECT_FALSE(keeps_work_after(Error(ErrorKind::numeric, "nan", "")));
}

}  // namespace
}  // namespace eqm::test
