#include "eqm/base/processor_use.h"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

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
  EXPECT_FALSE(waiting_share({.at = 0, .ran = 5, .waited = 2}, {.at = 9, .ran = 1, .waited = 3}));
  EXPECT_FALSE(waiting_share({.at = 0, .ran = 5, .waited = 2}, {.at = 9, .ran = 8, .waited = 1}));
}

TEST(ProcessorUse, is_the_sum_over_threads) {
  const TemporaryFolder folder;
  for (const char* thread : {"7", "9", "11"}) std::filesystem::create_directory(folder / thread);
  std::ofstream(folder / "7/schedstat") << "3000000000 500000000 12\n";
  std::ofstream(folder / "9/schedstat") << "1000000000 250000000 3\n";  // 11 has just ended
  const auto use = processor_use_of(folder.path());
  ASSERT_TRUE(use.has_value());
  EXPECT_DOUBLE_EQ(use->ran, 4);
  EXPECT_DOUBLE_EQ(use->waited, 0.75);
}

TEST(ProcessorUse, is_unknown_where_the_kernel_keeps_no_statistics) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "7");
  std::ofstream(folder / "7/schedstat") << "0 0 0\n";
  EXPECT_FALSE(processor_use_of(folder.path()));
  EXPECT_FALSE(processor_use_of(folder / "absent"));
}

}  // namespace
}  // namespace eqm::test
