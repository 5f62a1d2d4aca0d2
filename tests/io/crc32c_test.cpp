#include "eqm/io/crc32c.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/event_decoder.h"

namespace eqm {
namespace {

TEST(Crc32c, agrees_with_the_published_vectors) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("a"), 0xC1D04330u);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
}

// RFC 3720, appendix B.4.
TEST(Crc32c, agrees_with_the_vectors_of_iscsi) {
  std::string rising, falling;
  for (int i = 0; i < 32; ++i) {
    rising.push_back(static_cast<char>(i));
    falling.push_back(static_cast<char>(31 - i));
  }
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  EXPECT_EQ(crc32c(rising), 0x46DD794Eu);
  EXPECT_EQ(crc32c(falling), 0x113FDB5Cu);
}

RC_GTEST_PROP(Crc32c, agrees_with_its_definition_bit_by_bit, (const std::string& bytes)) {
  RC_ASSERT(crc32c(bytes) == test::bitwise_crc32c(bytes));
}

}  // namespace
}  // namespace eqm
