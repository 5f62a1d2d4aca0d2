#include "eqm/data/shard_source.h"

#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/made_source.h"

namespace eqm {
namespace {

using test::expect_error;
using test::MadeSource;

std::vector<std::string> names_in(const SourcePtr& source) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < source->size(); ++i) {
    names.push_back(source->name_of(i));
    EXPECT_EQ(source->get(i).label, std::stoll(names.back().substr(5)) % 3);
  }
  return names;
}

TEST(ShardSource, takes_every_nth_example) {
  const SourcePtr inner = std::make_shared<MadeSource>(8);
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_in(shard_source(inner, 0, 3)), (Names{"made 0", "made 3", "made 6"}));
  EXPECT_EQ(names_in(shard_source(inner, 2, 3)), (Names{"made 2", "made 5"}));
  EXPECT_EQ(shard_source(inner, 2, 3)->class_names(), inner->class_names());
}

RC_GTEST_PROP(ShardSource, divides_a_source_without_loss, ()) {
  const auto size = *rc::gen::inRange<int64_t>(1, 50);
  const auto parts = *rc::gen::inRange<int64_t>(1, size + 1);
  const SourcePtr inner = std::make_shared<MadeSource>(size);
  std::multiset<std::string> seen;
  for (int64_t k = 0; k < parts; ++k) {
    for (const std::string& name : names_in(shard_source(inner, k, parts))) seen.insert(name);
  }
  for (int64_t i = 0; i < size; ++i) RC_ASSERT(seen.count(inner->name_of(i)) == 1);
}

TEST(ShardSource, refuses_parts_that_do_not_exist) {
  const SourcePtr inner = std::make_shared<MadeSource>(3);
  for (const auto& [k, n] : {std::pair{-1, 3}, {3, 3}, {0, 0}, {3, 4}, {0, -1}}) {
    expect_error(ErrorKind::usage, "no part",
                 [&inner, k = k, n = n] { shard_source(inner, k, n); });
  }
}

TEST(RangeSource, takes_successive_examples) {
  const auto source = range_source(std::make_shared<MadeSource>(8), 5, 2);
  EXPECT_EQ(names_in(source), (std::vector<std::string>{"made 5", "made 6"}));
  expect_error(ErrorKind::usage, "no example 2 among 2", [&] { source->get(2); });
}

TEST(RangeSource, refuses_ranges_that_leave_the_source) {
  const SourcePtr inner = std::make_shared<MadeSource>(3);
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  for (const auto& [first, count] :
       std::vector<std::pair<int64_t, int64_t>>{{-1, 2}, {0, 0}, {0, 4}, {3, 1}, {2, kHuge}}) {
    expect_error(ErrorKind::usage, "are not among 3",
                 [&inner, first = first, count = count] { range_source(inner, first, count); });
  }
}

TEST(RangeSource, has_a_fingerprint_of_its_place) {
  const SourcePtr inner = std::make_shared<MadeSource>(8);
  const std::set<uint64_t> all = {inner->fingerprint(), range_source(inner, 0, 4)->fingerprint(),
                                  range_source(inner, 4, 4)->fingerprint(),
                                  shard_source(inner, 0, 2)->fingerprint(),
                                  shard_source(inner, 1, 2)->fingerprint()};
  EXPECT_EQ(all.size(), 5u);
}

}  // namespace
}  // namespace eqm
