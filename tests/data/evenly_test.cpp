#include "eqm/data/evenly.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace eqm {
namespace {

TEST(EvenlySpaced, takes_all_of_a_few_and_some_of_many) {
  EXPECT_EQ(evenly_spaced(3, 5), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(evenly_spaced(10, 4), (std::vector<int64_t>{0, 2, 5, 7}));
  EXPECT_TRUE(evenly_spaced(0, 5).empty());
}

RC_GTEST_PROP(EvenlySpaced, stays_within_the_range_and_increases, ()) {
  const auto size = *rc::gen::inRange<int64_t>(1, std::numeric_limits<int64_t>::max());
  const auto count = *rc::gen::inRange<int64_t>(1, 100);
  const std::vector<int64_t> numbers = evenly_spaced(size, count);
  RC_ASSERT(numbers.size() == static_cast<size_t>(std::min(size, count)));
  RC_ASSERT(numbers.front() == 0);
  RC_ASSERT(numbers.back() < size);
  for (size_t i = 1; i < numbers.size(); ++i) RC_ASSERT(numbers[i] > numbers[i - 1]);
}

}  // namespace
}  // namespace eqm
