#include "eqm/base/utf8.h"

#include <string>

#include <gtest/gtest.h>

namespace eqm {
namespace {

TEST(Utf8, accepts_the_ends_of_every_utf8_length) {
  EXPECT_TRUE(is_utf8(std::string("\x00\x7F", 2)));
  EXPECT_TRUE(is_utf8("\xC2\x80 \xDF\xBF"));
  EXPECT_TRUE(is_utf8("\xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xEF\xBF\xBF"));
  EXPECT_TRUE(is_utf8("\xF0\x90\x80\x80 \xF4\x8F\xBF\xBF"));
}

TEST(Utf8, refuses_broken_utf8) {
  EXPECT_FALSE(is_utf8("\x80"));              // continuation without a lead
  EXPECT_FALSE(is_utf8("\xC3"));              // cut off
  EXPECT_FALSE(is_utf8("\xC3("));             // no continuation
  EXPECT_FALSE(is_utf8("\xC0\xAF"));          // overlong, two bytes
  EXPECT_FALSE(is_utf8("\xE0\x9F\xBF"));      // overlong, three bytes
  EXPECT_FALSE(is_utf8("\xF0\x8F\xBF\xBF"));  // overlong, four bytes
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // surrogate
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // past U+10FFFF
  EXPECT_FALSE(is_utf8("\xFF"));
}

}  // namespace
}  // namespace eqm
