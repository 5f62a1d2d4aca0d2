#include "eqm/io/text.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace eqm {
namespace {

TEST(Text, accepts_the_ends_of_every_utf8_length) {
  EXPECT_TRUE(is_utf8(std::string("\x00\x7F", 2)));
  EXPECT_TRUE(is_utf8("\xC2\x80 \xDF\xBF"));
  EXPECT_TRUE(is_utf8("\xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xEF\xBF\xBF"));
  EXPECT_TRUE(is_utf8("\xF0\x90\x80\x80 \xF4\x8F\xBF\xBF"));
}

TEST(Text, refuses_broken_utf8) {
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

RC_GTEST_PROP(Text, latin1_round_trips_through_utf8, (const std::string& latin1)) {
  const std::string utf8 = utf8_from_latin1(latin1);
  RC_ASSERT(is_utf8(utf8));
  RC_ASSERT(latin1_from_utf8(utf8) == latin1);
}

TEST(Text, has_no_latin1_for_characters_outside_it) {
  EXPECT_EQ(latin1_from_utf8("\xC3\xBF"), "\xFF");
  EXPECT_EQ(latin1_from_utf8("\xC4\x80"), std::nullopt);  // U+0100
  EXPECT_EQ(latin1_from_utf8("\xFF"), std::nullopt);
}

TEST(Text, shows_control_characters_and_broken_bytes_as_numbers) {
  EXPECT_EQ(in_quotes("a\nb\xFF\xC3\xA4"), "'a\\x0ab\\xff\xC3\xA4'");
}

TEST(Text, cuts_long_names_short) {
  const std::string shown = in_quotes(std::string(1000, 'x'));
  EXPECT_LT(shown.size(), 140u);
  EXPECT_TRUE(shown.ends_with("...'"));
}

RC_GTEST_PROP(Text, quotes_anything_as_one_line_of_utf8, (const std::string& text)) {
  const std::string shown = in_quotes(text);
  RC_ASSERT(is_utf8(shown));
  RC_ASSERT(shown.find('\n') == std::string::npos);
}

}  // namespace
}  // namespace eqm
