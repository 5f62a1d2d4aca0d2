#include "eqm/base/processor_use.h"

#include <gtest/gtest.h>

namespace eqm::test {
namespace {

TEST(ProcessorUse, grows_with_what_is_done) {
  const auto before = processor_use();
  if (!before) GTEST_SKIP() << "the system does not tell";
  volatile double sum = 0;
  for (int i = 0; i < 20'000'000; ++i) sum = sum + i;
  const auto after = processor_use();
  ASSERT_TRUE(after.has_value());
  EXPECT_GT(after->at, before->at);
  EXPECT_GT(after->ran, before->ran);
  EXPECT_GE(after->waited, before->waited);
}

TEST(ProcessorUse, has_a_share_of_waiting) {
  EXPECT_EQ(waiting_share({.at = 0, .ran = 10, .waited = 2}, {.at = 9, .ran = 16, .waited = 4}),
            0.25);
  EXPECT_EQ(waiting_share({.at = 0, .ran = 1, .waited = 2}, {.at = 9, .ran = 2, .waited = 2}), 0);
  EXPECT_FALSE(waiting_share({.at = 0, .ran = 1, .waited = 2}, {.at = 9, .ran = 1, .waited = 2}));
  // A thread has ended and taken its times with it.
  EXPECT_FALSE(waiting_share({.at = 0, .ran = 5, .waited = 2}, {.at = 9, .ran = 1, .waited = 1}));
}

}  // namespace
}  // namespace eqm::test
