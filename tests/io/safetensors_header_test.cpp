// The grammar of the header, through the reader as files meet it.
#include "eqm/io/safetensors_header.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/io/safetensors_builder.h"
#include "tests/support/expect_error.h"

namespace eqm {
namespace {

using test::entry;
using test::expect_input_error;
using test::file_of;
using test::parse;

void expect_header_refused(const std::string& part, const std::string& header,
                           const std::string& data = {}) {
  expect_input_error(part, [&] { parse(file_of(header, data)); });
  expect_input_error("made.safetensors", [&] { parse(file_of(header, data)); });
}

TEST(SafetensorsHeader, accepts_trailing_spaces_and_inner_blanks) {
  EXPECT_TRUE(parse(file_of("{}   ")).names().empty());
  EXPECT_TRUE(parse(file_of("{ \n\t\r}")).names().empty());
}

TEST(SafetensorsHeader, must_start_with_a_brace) {
  expect_header_refused("start with '{'", "");
  expect_header_refused("start with '{'", " {}");
  expect_header_refused("start with '{'", "[]");
  expect_header_refused("start with '{'", "\xEF\xBB\xBF{}");
}

TEST(SafetensorsHeader, must_end_with_a_brace_and_spaces_only) {
  expect_header_refused("end with '}'", "{}\n");
  expect_header_refused("end with '}'", "{} x");
  expect_header_refused("end with '}'", "{");
  expect_header_refused("end with '}'", std::string("{}\0\0", 4));
  expect_header_refused("not valid UTF-8 JSON", "{}{}");
  expect_header_refused("not valid UTF-8 JSON", "{} }");
}

TEST(SafetensorsHeader, cannot_hide_anything_behind_a_zero_byte) {
  expect_header_refused("zero byte at byte 10", std::string("{}\0garbage}", 11));
}

TEST(SafetensorsHeader, must_be_json) {
  expect_header_refused("not valid UTF-8 JSON near byte 9", "{a}");
  expect_header_refused("not valid UTF-8 JSON", "{\"a\":}");
  expect_header_refused("not valid UTF-8 JSON", "{,}");
  expect_header_refused("not valid UTF-8 JSON", "{/**/}");
  expect_header_refused("not valid UTF-8 JSON", "{\"__metadata__\":{\"a\":\"b\",}}");
}

TEST(SafetensorsHeader, must_be_utf8) {
  expect_header_refused("not valid UTF-8 JSON", "{\"__metadata__\":{\"a\":\"\xFF\"}}");
  expect_header_refused("not valid UTF-8 JSON", "{\"__metadata__\":{\"a\":\"\xC0\xAF\"}}");
  expect_header_refused("not valid UTF-8 JSON", "{\"__metadata__\":{\"a\":\"\\ud800\"}}");
}

TEST(SafetensorsHeader, refuses_a_tensor_named_twice) {
  const std::string one = entry("a", "U8", "[0]", "[0,0]");
  expect_header_refused("the key 'a' occurs twice", "{" + one + "," + one + "}");
  // The same name, once spelt as an escape.
  const std::string escaped = entry("\\u0061", "U8", "[0]", "[0,0]");
  expect_header_refused("the key 'a' occurs twice", "{" + one + "," + escaped + "}");
}

TEST(SafetensorsHeader, refuses_metadata_given_twice) {
  expect_header_refused("'__metadata__' occurs twice", R"({"__metadata__":{},"__metadata__":{}})");
}

TEST(SafetensorsHeader, refuses_a_metadata_key_given_twice) {
  expect_header_refused("metadata key 'k' occurs twice", R"({"__metadata__":{"k":"1","k":"2"}})");
}

TEST(SafetensorsHeader, refuses_a_field_given_twice) {
  expect_header_refused("tensor 'a' has the key 'dtype' twice",
                        R"({"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})");
}

TEST(SafetensorsHeader, refuses_unknown_fields) {
  expect_header_refused("tensor 'a' has the unknown key 'extra'",
                        R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"extra":1}})");
}

TEST(SafetensorsHeader, refuses_missing_fields) {
  expect_header_refused("lacks the key 'dtype'", R"({"a":{"shape":[0],"data_offsets":[0,0]}})");
  expect_header_refused("lacks the key 'shape'", R"({"a":{"dtype":"U8","data_offsets":[0,0]}})");
  expect_header_refused("lacks the key 'data_offsets'", R"({"a":{"dtype":"U8","shape":[0]}})");
  expect_header_refused("lacks the key 'dtype'", R"({"a":{}})");
}

TEST(SafetensorsHeader, does_not_carry_fields_over_to_the_next_tensor) {
  expect_header_refused("tensor 'b' lacks the key 'dtype'",
                        "{" + entry("a", "U8", "[0]", "[0,0]") + ",\"b\":{}}");
}

TEST(SafetensorsHeader, refuses_entries_that_are_not_objects) {
  for (const char* value : {"1", "-1", "1.5", "null", "true", "\"text\"", "[]"}) {
    expect_header_refused("instead of an object", std::string("{\"a\":") + value + "}");
    expect_header_refused("instead of an object", std::string("{\"__metadata__\":") + value + "}");
  }
}

TEST(SafetensorsHeader, refuses_metadata_that_is_not_text) {
  for (const char* value : {"1", "-1", "1.5", "null", "true", "{}", "[]"}) {
    expect_header_refused("instead of a string",
                          std::string("{\"__metadata__\":{\"k\":") + value + "}}");
  }
}

TEST(SafetensorsHeader, refuses_unknown_dtypes) {
  expect_header_refused("tensor 'a' has the unknown dtype 'F33'",
                        "{" + entry("a", "F33", "[0]", "[0,0]") + "}");
  expect_header_refused("instead of a string",
                        R"({"a":{"dtype":7,"shape":[0],"data_offsets":[0,0]}})");
}

TEST(SafetensorsHeader, refuses_shapes_that_are_not_lists_of_counts) {
  for (const char* shape : {"[-1]", "[1.0]", "[1e3]", "[\"1\"]", "[null]", "[[1]]", "[{}]",
                            "[18446744073709551616]", "[-0]"}) {
    expect_header_refused("instead of a non-negative integer",
                          "{" + entry("a", "U8", shape, "[0,0]") + "}");
  }
  expect_header_refused("instead of a list", "{" + entry("a", "U8", "3", "[0,3]") + "}");
  expect_header_refused("instead of a list", "{" + entry("a", "U8", "{}", "[0,3]") + "}");
  expect_header_refused("impossible dimension",
                        "{" + entry("a", "U8", "[0,9223372036854775808]", "[0,0]") + "}");
}

TEST(SafetensorsHeader, refuses_too_many_dimensions) {
  std::string shape = "[1";
  for (size_t i = 1; i < kMaxTensorRank; ++i) shape += ",1";
  EXPECT_TRUE(
      parse(file_of("{" + entry("a", "U8", shape + "]", "[0,1]") + "}", "x")).contains("a"));
  expect_header_refused("more than 64 dimensions",
                        "{" + entry("a", "U8", shape + ",1]", "[0,1]") + "}", "x");
}

TEST(SafetensorsHeader, refuses_offsets_that_are_not_two_counts) {
  for (const char* offsets : {"[]", "[0]", "[0,0,0]"}) {
    expect_header_refused("instead of two", "{" + entry("a", "U8", "[0]", offsets) + "}");
  }
  for (const char* offsets : {"[-1,0]", "[0,0.0]", "[0,null]", "[0,18446744073709551616]"}) {
    expect_header_refused("instead of a non-negative integer",
                          "{" + entry("a", "U8", "[0]", offsets) + "}");
  }
  expect_header_refused("instead of a list", "{" + entry("a", "U8", "[0]", "\"0,0\"") + "}");
}

TEST(SafetensorsHeader, stops_at_the_first_bracket_too_many) {
  const std::string deep = "{\"a\":" + std::string(1'000'000, '[') + "}";
  expect_header_refused("a list instead of an object", deep);
}

TEST(SafetensorsHeader, shows_hostile_names_on_one_line) {
  expect_header_refused("'a\\x0ab'", "{" + entry("a\\nb", "F33", "[0]", "[0,0]") + "}");
}

}  // namespace
}  // namespace eqm
