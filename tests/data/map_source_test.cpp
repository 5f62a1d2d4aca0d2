#include "eqm/data/map_source.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/made_source.h"

namespace eqm {
namespace {

using test::MadeSource;

Example inverted(Example example) {
  for (std::byte& byte : example.bytes) byte = ~byte;
  return example;
}

TEST(MapSource, changes_examples_and_nothing_else) {
  const auto inner = std::make_shared<MadeSource>(5);
  const SourcePtr mapped = map_source(inner, "invert", inverted);
  EXPECT_EQ(mapped->size(), 5);
  EXPECT_EQ(mapped->get(3).bytes, inverted(inner->get(3)).bytes);
  EXPECT_EQ(mapped->get(3).label, 0);
  EXPECT_EQ(mapped->name_of(3), "made 3");
  EXPECT_EQ(mapped->class_names(), inner->class_names());
}

TEST(MapSource, has_a_fingerprint_of_source_and_function) {
  const auto five = std::make_shared<MadeSource>(5);
  const uint64_t inverts = map_source(five, "invert", inverted)->fingerprint();
  EXPECT_NE(inverts, five->fingerprint());
  EXPECT_EQ(inverts, map_source(five, "invert", inverted)->fingerprint());
  EXPECT_NE(inverts, map_source(five, "something else", inverted)->fingerprint());
  EXPECT_NE(inverts,
            map_source(std::make_shared<MadeSource>(6), "invert", inverted)->fingerprint());
}

TEST(MapSource, names_the_example_the_function_refuses) {
  const SourcePtr mapped =
      map_source(std::make_shared<MadeSource>(5), "refuse", [](Example) -> Example {
        throw Error(ErrorKind::input, "too small", "choose a larger one");
      });
  test::expect_input_error("'made 4': too small", [&] { mapped->get(4); });
}

TEST(MapSource, passes_on_the_error_of_a_damaged_example) {
  const SourcePtr mapped =
      map_source(std::make_shared<MadeSource>(5, std::set<int64_t>{2}), "invert", inverted);
  test::expect_input_error("'made 2' is damaged", [&] { mapped->get(2); });
}

}  // namespace
}  // namespace eqm
