#include "eqm/io/json_value.h"

#include <gtest/gtest.h>

namespace eqm {
namespace {

using nlohmann::json;

TEST(JsonValue, reads_integers_that_fit) {
  EXPECT_EQ(json_value<int64_t>(json::parse("-7")), -7);
  EXPECT_EQ(json_value<uint64_t>(json::parse("18446744073709551615")), UINT64_MAX);
  EXPECT_EQ(json_value<uint32_t>(json::parse("4294967295")), UINT32_MAX);
  EXPECT_EQ(json_value<std::vector<int64_t>>(json::parse("[1, 2, 3]")),
            (std::vector<int64_t>{1, 2, 3}));
}

TEST(JsonValue, refuses_numbers_that_do_not_fit_an_integer) {
  for (const char* text : {"1e40", "-1e40", "1.5", "9223372036854775808", "true", "\"1\"", "null",
                           "18446744073709551616"}) {
    EXPECT_THROW((void)json_value<int64_t>(json::parse(text)), json::exception) << text;
  }
  EXPECT_THROW((void)json_value<uint32_t>(json::parse("4294967296")), json::exception);
  EXPECT_THROW((void)json_value<uint64_t>(json::parse("-1")), json::exception);
  EXPECT_THROW((void)json_value<std::vector<int64_t>>(json::parse("[1, 1e40]")), json::exception);
  EXPECT_THROW((void)(json_value<std::map<std::string, uint32_t>>(json::parse(R"({"a": 1e40})"))),
               json::exception);
  EXPECT_THROW((void)json_value<std::vector<int64_t>>(json::parse("3")), json::exception);
}

TEST(JsonValue, reads_other_types_as_the_library_does) {
  EXPECT_EQ(json_value<double>(json::parse("2")), 2.0);
  EXPECT_EQ(json_value<bool>(json::parse("true")), true);
  EXPECT_THROW((void)json_value<bool>(json::parse("1")), json::exception);
  EXPECT_EQ(json_value<std::string>(json::parse("\"coat\"")), "coat");
}

}  // namespace
}  // namespace eqm
