#include "eqm/data/batch.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/data/map_source.h"
#include "eqm/data/shard_source.h"
#include "tests/support/expect_error.h"
#include "tests/support/made_source.h"

namespace eqm {
namespace {

using test::expect_error;
using test::expect_input_error;
using test::MadeSource;

TEST(ReadBatch, puts_examples_side_by_side_in_order) {
  const MadeSource source(9);
  const Batch batch = read_batch(source, 4, 3);
  EXPECT_EQ(batch.dtype, Dtype::u8);
  EXPECT_EQ(batch.shape, (std::vector<int64_t>{3, 1, 2, 3}));
  EXPECT_EQ(batch.indices, (std::vector<int64_t>{4, 5, 6}));
  EXPECT_EQ(batch.labels, (std::vector<int64_t>{1, 2, 0}));
  std::vector<std::byte> expected;
  for (const int64_t index : batch.indices) {
    const std::vector<std::byte> bytes = MadeSource::bytes_of(index);
    expected.insert(expected.end(), bytes.begin(), bytes.end());
  }
  EXPECT_EQ(*batch.bytes, expected);
}

TEST(ReadBatch, shows_its_bytes_as_a_view) {
  const MadeSource source(3);
  const Batch batch = read_batch(source, 0, 2);
  const TensorView view = batch.view();
  EXPECT_EQ(view.dtype, batch.dtype);
  EXPECT_EQ(view.shape, batch.shape);
  EXPECT_EQ(view.bytes.data(), batch.bytes->data());
  EXPECT_EQ(view.bytes.size(), 12u);
}

TEST(ReadBatch, reads_one_example_and_all_of_them) {
  const MadeSource source(5);
  EXPECT_EQ(read_batch(source, 4, 1).indices, std::vector<int64_t>{4});
  EXPECT_EQ(read_batch(source, 0, 5).bytes->size(), 30u);
}

TEST(ReadBatch, refuses_to_leave_the_source) {
  const SourcePtr source = range_source(std::make_shared<MadeSource>(8), 0, 5);
  expect_error(ErrorKind::usage, "no example 5 among 5", [&] { read_batch(*source, 3, 3); });
}

TEST(ReadBatch, names_an_example_of_another_shape) {
  const SourcePtr source = map_source(std::make_shared<MadeSource>(4), "odd one", [](Example made) {
    if (made.bytes == MadeSource::bytes_of(2)) made.shape = {1, 3, 2};
    return made;
  });
  EXPECT_EQ(read_batch(*source, 0, 2).shape, (std::vector<int64_t>{2, 1, 2, 3}));
  expect_input_error("made 2", [&] { read_batch(*source, 1, 3); });
}

TEST(ReadBatch, passes_the_error_of_a_damaged_example_on) {
  const MadeSource source(6, {3});
  EXPECT_EQ(read_batch(source, 0, 3).indices.size(), 3u);
  expect_input_error("made 3", [&] { read_batch(source, 2, 2); });
}

}  // namespace
}  // namespace eqm
