#include "eqm/data/rows.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace eqm {
namespace {

TEST(Rows, of_batches_follow_each_other) {
  EXPECT_EQ(rows_of_batch(0, 8), (RowRange{.first = 0, .count = 8}));
  EXPECT_EQ(rows_of_batch(3, 8), (RowRange{.first = 24, .count = 8}));
}

TEST(Rows, in_parts_are_all_rows_once_and_in_order) {
  for (const int64_t count : {1, 7, 8, 256}) {
    for (int64_t parts = 1; parts <= std::min<int64_t>(count, 9); ++parts) {
      int64_t next = 100;
      for (int64_t part = 0; part < parts; ++part) {
        const RowRange some = part_of({.first = 100, .count = count}, part, parts);
        EXPECT_EQ(some.first, next);
        EXPECT_GE(some.count, count / parts);
        EXPECT_LE(some.count, (count + parts - 1) / parts);
        next = some.end();
      }
      EXPECT_EQ(next, 100 + count);
    }
  }
}

}  // namespace
}  // namespace eqm
