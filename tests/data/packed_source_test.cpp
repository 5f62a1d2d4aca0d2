#include "eqm/data/packed_source.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm {
namespace {

using test::expect_error;
using test::expect_input_error;

// Records of three bytes, of which the last two are the example.
struct Fixture {
  std::vector<std::byte> bytes = std::vector<std::byte>(6);
  PackedExamples packed = {.file = "made",
                           .dtype = Dtype::u8,
                           .shape = {2},
                           .count = 2,
                           .bytes = bytes,
                           .offset = 1,
                           .labels = {1, 0},
                           .classes = {"a", "b"},
                           .owner = {}};
};

TEST(PackedSource, finds_examples_within_their_records) {
  Fixture fixture;
  fixture.bytes[4] = std::byte{7};
  const SourcePtr source = packed_source(fixture.packed);
  EXPECT_EQ(source->get(1).bytes, (std::vector<std::byte>{std::byte{7}, std::byte{0}}));
  EXPECT_EQ(source->get(1).label, 0);
}

TEST(PackedSource, reads_no_more_than_examples_for_its_fingerprint) {
  Fixture fixture;
  const uint64_t before = packed_source(fixture.packed)->fingerprint();
  fixture.bytes[3] = std::byte{7};  // outside of any example
  EXPECT_EQ(packed_source(fixture.packed)->fingerprint(), before);
  fixture.bytes[5] = std::byte{7};
  EXPECT_NE(packed_source(fixture.packed)->fingerprint(), before);
}

TEST(PackedSource, refuses_labels_without_a_class) {
  Fixture fixture;
  fixture.packed.labels = {1, 2};
  expect_input_error("'made': example 1 has label 2, but there are 2 classes",
                     [&] { packed_source(fixture.packed); });
  fixture.packed.labels = {-1, 1};
  expect_input_error("label -1", [&] { packed_source(fixture.packed); });
}

TEST(PackedSource, refuses_an_empty_set) {
  Fixture fixture;
  fixture.packed.count = 0;
  expect_input_error("'made' has no examples", [&] { packed_source(fixture.packed); });
}

TEST(PackedSource, refuses_bytes_that_cannot_hold_the_examples) {
  Fixture fixture;
  for (const int64_t count : {4, 3}) {
    fixture.packed.count = count;
    fixture.packed.labels = {};
    expect_error(ErrorKind::internal, "do not fit", [&] { packed_source(fixture.packed); });
  }
}

TEST(NumberedClasses, reach_the_largest_label) {
  EXPECT_EQ(numbered_classes(std::vector<int64_t>{2, 0}),
            (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_TRUE(numbered_classes({}).empty());
}

}  // namespace
}  // namespace eqm
