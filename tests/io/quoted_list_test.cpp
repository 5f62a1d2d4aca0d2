#include "eqm/io/quoted_list.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm {
namespace {

std::vector<std::string> texts(std::string_view list) {
  std::vector<std::string> all;
  for (const ListPart& part : quoted_parts(list)) all.push_back(part.text);
  return all;
}

using Texts = std::vector<std::string>;

TEST(QuotedList, splits_at_commas_and_trims) {
  EXPECT_EQ(texts(" a ,b b,\tc"), (Texts{"a", "b b", "c"}));
  EXPECT_EQ(texts(""), (Texts{""}));
  EXPECT_EQ(texts("a,,b,"), (Texts{"a", "", "b", ""}));
  EXPECT_EQ(texts("6\" gun,b"), (Texts{"6\" gun", "b"})) << "a quote inside is a letter";
}

TEST(QuotedList, keeps_what_is_in_quotes_as_it_is) {
  EXPECT_EQ(texts("\"a, b\", \" c \",\"say \"\"x\"\"\""), (Texts{"a, b", " c ", "say \"x\""}));
  const std::vector<ListPart> parts = quoted_parts("\"a,b\" : 0.5 ,c:1");
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].text, "a,b");
  EXPECT_EQ(parts[0].rest, ": 0.5");
  EXPECT_TRUE(parts[0].quoted);
  EXPECT_EQ(parts[1].text, "c:1");
  EXPECT_FALSE(parts[1].quoted);
}

TEST(QuotedList, refuses_a_quote_without_an_end) {
  test::expect_error(ErrorKind::usage, "not closed", [] { quoted_parts("a,\"b,c"); });
}

RC_GTEST_PROP(QuotedList, reads_every_name_as_it_is_written, (const std::string& name)) {
  const std::vector<ListPart> parts = quoted_parts("a," + as_list_part(name) + ",b");
  RC_ASSERT(parts.size() == 3U);
  RC_ASSERT(parts[1].text == name);
  RC_ASSERT(parts[1].rest.empty());
}

}  // namespace
}  // namespace eqm
