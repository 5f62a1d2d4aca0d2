#include "eqm/data/memory_source.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm {
namespace {

Example pixel(int value, int64_t label) {
  return {.dtype = Dtype::u8,
          .shape = {1, 1, 1},
          .bytes = {static_cast<std::byte>(value)},
          .label = label};
}

TEST(MemorySource, gives_back_what_it_holds) {
  const SourcePtr source = memory_source({pixel(7, 1), pixel(9, kNoLabel)}, {"a", "b"}, "sample");
  ASSERT_EQ(source->size(), 2);
  EXPECT_EQ(source->get(0).label, 1);
  EXPECT_EQ(source->get(1).bytes, pixel(9, 0).bytes);
  EXPECT_EQ(source->name_of(1), "sample: 1");
  EXPECT_EQ(source->class_names().size(), 2U);
  test::expect_error(ErrorKind::usage, "no example 2", [&] { source->get(2); });
}

TEST(MemorySource, has_a_fingerprint_of_bytes_and_labels) {
  const auto fingerprint = [](const Example& example) {
    return memory_source({example}, {"a", "b"}, "sample")->fingerprint();
  };
  EXPECT_EQ(fingerprint(pixel(7, 1)), fingerprint(pixel(7, 1)));
  EXPECT_NE(fingerprint(pixel(7, 1)), fingerprint(pixel(8, 1)));
  EXPECT_NE(fingerprint(pixel(7, 1)), fingerprint(pixel(7, 0)));
}

}  // namespace
}  // namespace eqm
