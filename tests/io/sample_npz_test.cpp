#include "eqm/io/sample_npz.h"

#include <string>

#include <gtest/gtest.h>

#include "eqm/io/byte_cursor.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using Sizes = std::vector<int64_t>;

constexpr uint64_t kMost = 1 << 20;

Image picture(int channels, uint8_t first) {
  Image image = {.width = 2, .height = 1, .channels = channels, .pixels = {}};
  for (int i = 0; i < 2 * channels; ++i) image.pixels.push_back(static_cast<uint8_t>(first + i));
  return image;
}

TEST(SampleNpz, is_what_evaluators_read) {
  const test::TemporaryFolder folder;
  SampleNpz samples(folder / "a.npz", ZipMethod::stored);
  samples.add(picture(3, 'a'), 7);
  samples.add(picture(1, 'x'), -1);
  samples.commit();
  EXPECT_EQ(samples.count(), 2);
  const NpzFile file = NpzFile::open(folder / "a.npz");
  EXPECT_EQ(file.read("arr_0", kMost).shape, (Sizes{2, 1, 2, 3}));
  EXPECT_EQ(eqm::text_of(file.read("arr_0", kMost).bytes), "abcdefxxxyyy");
  EXPECT_EQ(file.read("arr_1", kMost).dtype, Dtype::i64);
  EXPECT_EQ(file.read("arr_1", kMost).shape, Sizes{2});
}

TEST(SampleNpz, refuses_samples_that_differ) {
  const test::TemporaryFolder folder;
  SampleNpz samples(folder / "a.npz", ZipMethod::deflated);
  const auto refuse = [&](const std::string& part, const auto& action) {
    test::expect_error(ErrorKind::usage, part, action);
  };
  refuse("no samples", [&] { samples.commit(); });
  refuse("grey and colour", [&] { samples.add(picture(4, 'a'), 1); });
  samples.add(picture(1, 'a'), std::nullopt);
  refuse("differ in size", [&] { samples.add(picture(1, 'a'), 1); });
  Image other = picture(1, 'a');
  other.width = 1;
  other.height = 2;
  refuse("differ in size", [&] { samples.add(other, std::nullopt); });
  EXPECT_EQ(folder.names().size(), 1u);  // the temporary alone
}

}  // namespace
}  // namespace eqm
