#include "eqm/draw/utf8.h"

#include <gtest/gtest.h>

namespace eqm::draw {
namespace {

TEST(PrintableUtf8, keeps_valid_text) {
  for (const char* text : {"", "plain", "γ → 10⁻³", "\xf0\x9f\x98\x80"})
    EXPECT_EQ(printable_utf8(text), text);
}

TEST(PrintableUtf8, replaces_what_is_not_valid) {
  EXPECT_EQ(printable_utf8("a\xff\x62"), "a?b");
  EXPECT_EQ(printable_utf8("\xc3"), "?");                 // cut off
  EXPECT_EQ(printable_utf8("\xc0\xaf"), "??");            // overlong
  EXPECT_EQ(printable_utf8("\xed\xa0\x80"), "???");       // surrogate
  EXPECT_EQ(printable_utf8("\xf5\x80\x80\x80"), "????");  // beyond Unicode
}

TEST(PrintableUtf8, replaces_control_characters) {
  EXPECT_EQ(printable_utf8(std::string_view("a\0b\n", 4)), "a?b?");
}

}  // namespace
}  // namespace eqm::draw
