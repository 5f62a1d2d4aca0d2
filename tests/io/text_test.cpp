#include "eqm/io/text.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/io/printable.h"

namespace eqm {
namespace {

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

TEST(Text, is_printable_without_characters_that_steer_a_terminal) {
  EXPECT_EQ(printable("caf\xC3\xA9 \x1b[2J\x7f"), "caf\xC3\xA9 \\x1b[2J\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xc2\\x9b");  // C1
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "abc"),
            "\\xe2\\x80\\xaeabc");  // right to left
  EXPECT_EQ(printable(std::string(1000, 'x')), std::string(1000, 'x'));
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
