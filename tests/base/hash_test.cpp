#include "eqm/base/hash.h"

#include <array>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace eqm {
namespace {

// Another implementation of FNV-1a gave these.
TEST(Hash, is_fnv_1a_of_little_endian_numbers) {
  EXPECT_EQ(Hash().value(), 0xcbf29ce484222325u);
  EXPECT_EQ(Hash().add(uint64_t{0}).value(), 0xa8c7f832281a39c5u);
  EXPECT_EQ(Hash().add("a").value(), 0x529a4ddc8ff56bbfu);
}

TEST(Hash, tells_where_one_piece_ends) {
  EXPECT_NE(Hash().add("ab").add("c").value(), Hash().add("a").add("bc").value());
  EXPECT_NE(Hash().add("").add("a").value(), Hash().add("a").add("").value());
  EXPECT_NE(Hash().add("").value(), Hash().value());
}

TEST(Hash, takes_text_and_bytes_alike) {
  const std::array bytes = {std::byte{'a'}, std::byte{'b'}};
  EXPECT_EQ(Hash().add(bytes).value(), Hash().add("ab").value());
}

RC_GTEST_PROP(Hash, changes_with_every_bit_of_a_number, (uint64_t number)) {
  const uint64_t flipped = number ^ (uint64_t{1} << *rc::gen::inRange(0, 64));
  RC_ASSERT(Hash().add(number).value() != Hash().add(flipped).value());
}

}  // namespace
}  // namespace eqm
