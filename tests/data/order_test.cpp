#include "eqm/data/order.h"

#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm {
namespace {

using Order = std::vector<int64_t>;

Order order_of(uint64_t seed, int64_t epoch, int64_t size) {
  Order order;
  for (int64_t i = 0; i < size; ++i) order.push_back(shuffled(seed, epoch, i, size));
  return order;
}

bool is_permutation(const Order& order) {
  std::vector<bool> seen(order.size());
  for (const int64_t index : order) {
    if (index < 0 || static_cast<size_t>(index) >= order.size()) return false;
    if (seen[static_cast<size_t>(index)]) return false;
    seen[static_cast<size_t>(index)] = true;
  }
  return true;
}

// Sum of (observed - expected)^2 / expected.
template <class Counts>
double chi_square(const Counts& counts, double expected) {
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(Order, is_a_permutation_of_every_size) {
  for (int64_t size = 1; size <= 300; ++size) {
    EXPECT_TRUE(is_permutation(order_of(7, 3, size))) << size;
  }
  for (const int64_t size : {1023, 1024, 1025, 50000, 60000, 65536, 65537}) {
    EXPECT_TRUE(is_permutation(order_of(7, 3, size))) << size;
  }
}

RC_GTEST_PROP(Order, is_a_permutation_for_every_seed_and_epoch, (uint64_t seed)) {
  const auto epoch = *rc::gen::inRange<int64_t>(0, std::numeric_limits<int64_t>::max());
  RC_ASSERT(is_permutation(order_of(seed, epoch, *rc::gen::inRange<int64_t>(1, 200))));
}

TEST(Order, differs_with_epoch_and_seed) {
  const Order order = order_of(1, 0, 1000);
  EXPECT_EQ(order_of(1, 0, 1000), order);
  EXPECT_NE(order_of(1, 1, 1000), order);
  EXPECT_NE(order_of(2, 0, 1000), order);
  EXPECT_NE(order_of(1, int64_t{1} << 32, 1000), order);
  EXPECT_NE(order_of(1 + (uint64_t{1} << 32), 0, 1000), order);
}

TEST(Order, works_for_sets_no_table_could_hold) {
  const int64_t size = std::numeric_limits<int64_t>::max();
  for (const int64_t position : {int64_t{0}, int64_t{1}, size - 1}) {
    const int64_t index = shuffled(5, 0, position, size);
    EXPECT_GE(index, 0);
    EXPECT_LT(index, size);
  }
}

// Limits are the 99.9 % points of chi-square: a fair order of other seeds passes nearly always.
TEST(Order, reaches_all_orders_of_three_and_four_equally_often) {
  std::array<int, 6> of_three{};
  std::array<int, 24> of_four{};
  for (int64_t epoch = 0; epoch < 24000; ++epoch) {
    const Order three = order_of(11, epoch, 3);
    ++of_three[static_cast<size_t>(three[0] * 2 + (three[1] > three[2] ? 1 : 0))];
    const Order four = order_of(11, epoch, 4);
    const int64_t last = (four[1] > four[2] ? 1 : 0) + (four[1] > four[3] ? 1 : 0);
    ++of_four[static_cast<size_t>(four[0] * 6 + last * 2 + (four[2] > four[3] ? 1 : 0))];
  }
  EXPECT_LT(chi_square(of_three, 4000), 20.5);  // 5 degrees of freedom
  EXPECT_LT(chi_square(of_four, 1000), 49.7);   // 23 degrees of freedom
}

TEST(Order, puts_every_example_anywhere_equally_often) {
  constexpr int64_t kSize = 10;
  std::array<int, kSize * kSize> counts{};
  for (int64_t epoch = 0; epoch < 20000; ++epoch) {
    const Order order = order_of(13, epoch, kSize);
    for (int64_t i = 0; i < kSize; ++i) {
      ++counts[static_cast<size_t>(i * kSize + order[static_cast<size_t>(i)])];
    }
  }
  EXPECT_LT(chi_square(counts, 2000), 126.1);  // 81 degrees of freedom
}

TEST(Order, leaves_no_trace_of_neighbourhood) {
  constexpr int64_t kSize = 60000;
  constexpr size_t kBins = 50;
  std::array<int, kBins> steps{};  // the distance between successive examples, around the ring
  const Order order = order_of(17, 0, kSize);
  for (size_t i = 1; i < order.size(); ++i) {
    const int64_t step = (order[i] - order[i - 1] + kSize) % kSize;
    ++steps[static_cast<size_t>(step) * kBins / kSize];
  }
  EXPECT_LT(chi_square(steps, static_cast<double>(kSize - 1) / kBins), 85.4);  // 49 degrees
}

TEST(Order, refuses_places_outside_the_set) {
  for (const int64_t position : {int64_t{-1}, int64_t{3}}) {
    test::expect_error(ErrorKind::internal, "outside", [&] { shuffled(0, 0, position, 3); });
  }
  test::expect_error(ErrorKind::internal, "outside", [] { shuffled(0, 0, 0, 0); });
  test::expect_error(ErrorKind::internal, "outside", [] { shuffled(0, -1, 0, 3); });
}

}  // namespace
}  // namespace eqm
