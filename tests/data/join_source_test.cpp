#include "eqm/data/join_source.h"

#include <gtest/gtest.h>

#include "eqm/data/packed_source.h"
#include "tests/support/expect_error.h"
#include "tests/support/made_source.h"

namespace eqm {
namespace {

using test::MadeSource;

TEST(JoinSource, puts_sources_one_behind_the_other) {
  const SourcePtr joined =
      join_source({std::make_shared<MadeSource>(2), std::make_shared<MadeSource>(1),
                   std::make_shared<MadeSource>(3)});
  ASSERT_EQ(joined->size(), 6);
  const std::vector<int64_t> expected = {0, 1, 0, 0, 1, 2};
  for (int64_t i = 0; i < 6; ++i) {
    const int64_t inner = expected[static_cast<size_t>(i)];
    EXPECT_EQ(joined->name_of(i), "made " + std::to_string(inner));
    EXPECT_EQ(joined->get(i).bytes, MadeSource::bytes_of(inner));
  }
  test::expect_error(ErrorKind::usage, "no example 6", [&] { joined->get(6); });
  test::expect_error(ErrorKind::usage, "no example -1", [&] { joined->get(-1); });
}

TEST(JoinSource, has_a_fingerprint_of_the_order) {
  const auto two = std::make_shared<MadeSource>(2);
  const auto three = std::make_shared<MadeSource>(3);
  EXPECT_NE(join_source({two, three})->fingerprint(), join_source({three, two})->fingerprint());
}

TEST(JoinSource, refuses_sources_with_other_classes) {
  const std::vector<std::byte> bytes(1);
  const SourcePtr other = packed_source({.file = "other",
                                         .shape = {1},
                                         .count = 1,
                                         .bytes = bytes,
                                         .labels = {},
                                         .classes = {},
                                         .owner = {}});
  test::expect_input_error("'other: example 0' has other classes than 'made 0'", [&] {
    join_source({std::make_shared<MadeSource>(2), other});
  });
}

}  // namespace
}  // namespace eqm
