#include "eqm/train/starvation.h"

#include <gtest/gtest.h>

namespace eqm::test {
namespace {

// Readings every `every` seconds of a process that runs and waits so many seconds per second;
// how many warnings that gives.
int warnings(StarvationWatch& watch, double ran, double waited, double seconds, double every = 1) {
  int count = 0;
  for (double at = 0; at <= seconds; at += every) {
    // Times do not begin at 0.
    if (watch.add({.at = 500 + at, .ran = 70 + at * ran, .waited = 3 + at * waited})) ++count;
  }
  return count;
}

TEST(StarvationWatch, says_so_once_when_other_programs_hold_the_processors) {
  StarvationWatch spinning(2, 2);  // waiting threads burn time
  EXPECT_EQ(warnings(spinning, 1.5, 0.5, 300), 1);
  StarvationWatch sleeping(2, 2);
  EXPECT_EQ(warnings(sleeping, 1.0, 0.5, 300), 1);
  StarvationWatch alone(2, 1);
  EXPECT_EQ(warnings(alone, 0.5, 0.5, 300), 1);
}

TEST(StarvationWatch, says_what_and_what_to_do) {
  StarvationWatch two(2, 2);
  EXPECT_FALSE(two.add({.at = 100, .ran = 10, .waited = 1}));
  const auto text = two.add({.at = 140, .ran = 60, .waited = 26});
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("33 % of the last 40 s of work threads waited for a processor"),
            std::string::npos)
      << *text;
  EXPECT_NE(text->find("{threads} 1"), std::string::npos) << *text;
  StarvationWatch one(2, 1);
  EXPECT_FALSE(one.add({.at = 100, .ran = 10, .waited = 1}));
  const auto other = one.add({.at = 140, .ran = 30, .waited = 21});
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->find("{threads}"), std::string::npos) << *other;
}

TEST(StarvationWatch, is_content_with_an_idle_machine) {
  StarvationWatch busy(2, 2), mostly_waiting_for_data(2, 2), idle(2, 2);
  EXPECT_EQ(warnings(busy, 1.95, 0.03, 300), 0);
  EXPECT_EQ(warnings(mostly_waiting_for_data, 0.1, 0.001, 300), 0);
  EXPECT_EQ(warnings(idle, 0, 0, 300), 0);
}

// Loaders beside computing threads: nobody else is to blame.
TEST(StarvationWatch, blames_nobody_for_too_many_threads_of_its_own) {
  StarvationWatch watch(2, 4);
  EXPECT_EQ(warnings(watch, 2, 2, 300), 0);
}

TEST(StarvationWatch, waits_for_half_a_minute) {
  StarvationWatch watch(2, 2);
  EXPECT_EQ(warnings(watch, 1, 1, 29), 0);
  StarvationWatch rarely_asked(2, 2);
  EXPECT_EQ(warnings(rarely_asked, 1, 1, 1200, 600), 1);
}

// What happened in an earlier window is forgotten.
TEST(StarvationWatch, judges_each_window_by_itself) {
  StarvationWatch watch(2, 2);
  EXPECT_FALSE(watch.add({.at = 0, .ran = 0, .waited = 0}));
  EXPECT_FALSE(watch.add({.at = 1000, .ran = 1900, .waited = 1}));
  EXPECT_TRUE(watch.add({.at = 1040, .ran = 1950, .waited = 21}));
}

}  // namespace
}  // namespace eqm::test
