#include "eqm/train/schedule.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm::test {
namespace {

TEST(Schedule, stays_constant) {
  const Schedule schedule = {.lr = 0.5};
  for (const int64_t step : {0, 1, 99, 1000}) EXPECT_EQ(schedule.at(step, 100), 0.5) << step;
}

TEST(Schedule, warms_up_in_equal_rises_to_the_full_rate) {
  for (const ScheduleKind kind : {ScheduleKind::constant, ScheduleKind::cosine}) {
    const Schedule schedule = {.lr = 2, .kind = kind, .warm_up = 4};
    EXPECT_DOUBLE_EQ(schedule.at(0, 100), 0.5);
    EXPECT_DOUBLE_EQ(schedule.at(1, 100), 1);
    EXPECT_DOUBLE_EQ(schedule.at(2, 100), 1.5);
    EXPECT_DOUBLE_EQ(schedule.at(3, 100), 2);
    EXPECT_DOUBLE_EQ(schedule.at(4, 100), 2);
  }
}

TEST(Schedule, cosine_falls_from_the_rate_to_its_final_share) {
  const Schedule schedule = {.lr = 4, .kind = ScheduleKind::cosine, .final_share = 0.25};
  EXPECT_DOUBLE_EQ(schedule.at(0, 12), 4);
  EXPECT_NEAR(schedule.at(3, 12), 1 + 1.5 * (1 + std::sqrt(0.5)), 1e-14);
  EXPECT_NEAR(schedule.at(4, 12), 1 + 1.5 * 1.5, 1e-14);
  EXPECT_NEAR(schedule.at(6, 12), 2.5, 1e-14);
  EXPECT_NEAR(schedule.at(12, 12), 1, 1e-14);
  for (int64_t step = 1; step <= 12; ++step) {
    EXPECT_LT(schedule.at(step, 12), schedule.at(step - 1, 12)) << step;
  }
}

TEST(Schedule, cosine_stays_at_its_end) {
  const Schedule schedule = {.lr = 1, .kind = ScheduleKind::cosine, .final_share = 0.1};
  for (const int64_t step : {10, 11, 1000}) EXPECT_NEAR(schedule.at(step, 10), 0.1, 1e-15);
}

TEST(Schedule, cosine_begins_after_the_warm_up) {
  const Schedule schedule = {
      .lr = 1, .kind = ScheduleKind::cosine, .warm_up = 10, .final_share = 0};
  EXPECT_DOUBLE_EQ(schedule.at(10, 30), 1);
  EXPECT_NEAR(schedule.at(20, 30), 0.5, 1e-15);
  EXPECT_NEAR(schedule.at(30, 30), 0, 1e-15);
}

TEST(Schedule, a_warm_up_may_be_as_long_as_the_run_or_longer) {
  for (const int64_t steps : {0, 3, 5}) {
    const Schedule schedule = {.lr = 1, .kind = ScheduleKind::cosine, .warm_up = 5};
    EXPECT_DOUBLE_EQ(schedule.at(2, steps), 0.6);
    EXPECT_DOUBLE_EQ(schedule.at(4, steps), 1);
    EXPECT_DOUBLE_EQ(schedule.at(5, steps), 1);
    EXPECT_NEAR(schedule.at(6, steps), 0.01, 1e-15);
  }
}

TEST(Schedule, is_chosen_by_name) {
  Schedule schedule;
  OptionSet options;
  schedule.declare(options);
  options.set_text("schedule", "cosine");
  options.set_text("lr", "0.25");
  options.set_text("warm-up", "7");
  options.set_text("final-share", "0.5");
  EXPECT_EQ(schedule.kind, ScheduleKind::cosine);
  EXPECT_EQ(schedule.lr, 0.25);
  EXPECT_EQ(schedule.warm_up, 7);
  EXPECT_EQ(schedule.final_share, 0.5);
  EXPECT_EQ(all_names(schedule_names()), (std::vector<std::string>{"constant", "cosine"}));
}

TEST(Schedule, refuses_rates_that_cannot_be) {
  Schedule schedule;
  OptionSet options;
  schedule.declare(options);
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"lr", "0"},
                                                        {"lr", "-1"},
                                                        {"lr", "nan"},
                                                        {"warm-up", "-1"},
                                                        {"final-share", "1.5"},
                                                        {"schedule", "linear"}}) {
    SCOPED_TRACE(name + " = " + value);
    expect_error(ErrorKind::usage, name, [&] { options.set_text(name, value); });
  }
}

}  // namespace
}  // namespace eqm::test
