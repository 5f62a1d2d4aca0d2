#include "eqm/measure/content_order.h"

#include <gtest/gtest.h>

namespace eqm::test {
namespace {

TEST(ContentKeys, are_those_of_the_content) {
  const Tensor rows = torch::arange(24, torch::kUInt8).reshape({4, 1, 2, 3});
  const Tensor keys = content_keys(rows);
  EXPECT_EQ(keys.size(0), 4);
  EXPECT_TRUE(torch::equal(content_keys(rows.flip(0)), keys.flip(0)));
  for (int64_t i = 1; i < 4; ++i) {
    EXPECT_NE(keys[i].item<int64_t>(), keys[0].item<int64_t>()) << i;
  }
  EXPECT_EQ(content_keys(torch::empty({0, 3})).numel(), 0);
}

TEST(ContentOrder, is_a_permutation_that_follows_the_rows) {
  const Tensor keys = torch::arange(1000);
  const Tensor order = content_order(keys, 3);
  EXPECT_TRUE(torch::equal(std::get<0>(order.sort()), torch::arange(1000)));
  const Tensor moved = keys.roll(137);
  EXPECT_TRUE(
      torch::equal(moved.index_select(0, content_order(moved, 3)), keys.index_select(0, order)));
  EXPECT_FALSE(torch::equal(content_order(keys, 4), order)) << "another seed, another order";
}

// Of a set in which half of the rows are one and the same, so are half of any part of the order:
// within six standard deviations.
TEST(ContentOrder, shuffles_equal_rows_among_the_others) {
  Tensor keys = torch::arange(2000);
  keys.narrow(0, 0, 1000).fill_(7);
  const Tensor ordered = keys.index_select(0, content_order(keys, 0));
  for (int64_t first = 0; first < 2000; first += 500) {
    const double same = (ordered.narrow(0, first, 500) == 7).sum().item<double>();
    EXPECT_NEAR(same, 250, 6 * 11.2) << first;
  }
}

}  // namespace
}  // namespace eqm::test
