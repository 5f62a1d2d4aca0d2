#include "eqm/data/npz_source.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/data/open_path.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/npz.h"
#include "eqm/io/safetensors.h"
#include "tests/support/damage.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden_folder.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/zip_builder.h"

namespace eqm {
namespace {

using test::expect_input_error;
using Sizes = std::vector<int64_t>;

std::vector<std::byte> bytes_upto(size_t count) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < count; ++i) bytes.push_back(std::byte(i * 7 % 251));
  return bytes;
}

class NpzSource : public ::testing::Test {
 protected:
  // Seven pictures of 2x3 in colour, labelled by `labels` of this type.
  std::filesystem::path made(ZipMethod method, const std::vector<int32_t>& labels = {}) const {
    return made_of(method, Dtype::u8, {7, 2, 3, 3}, labels);
  }

  std::filesystem::path made_of(ZipMethod method, Dtype dtype, const Sizes& shape,
                                const std::vector<int32_t>& labels = {}) const {
    NpzWriter writer(path_, method);
    writer.begin("arr_0", dtype, {shape.begin() + 1, shape.end()});
    writer.write(bytes_upto(*byte_count(dtype, shape)));
    writer.end();
    if (!labels.empty()) {
      writer.begin("arr_1", Dtype::i32, {});
      writer.write(std::as_bytes(std::span(labels)));
      writer.end();
    }
    writer.commit();
    return path_;
  }

  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "samples.npz";
};

// Wherever the pictures are kept, and in whatever order they are asked for.
TEST_F(NpzSource, gives_the_same_pictures_from_memory_the_file_and_a_stream) {
  const std::vector<std::byte> all = bytes_upto(7 * 18);
  for (const ZipMethod method : {ZipMethod::stored, ZipMethod::deflated}) {
    made(method, {3, 1, 0, 2, 1, 0, 3});
    for (const uint64_t memory : {uint64_t{1} << 20, uint64_t{0}}) {
      const SourcePtr source = open_npz_source(path_, {.most_in_memory = memory});
      ASSERT_EQ(source->size(), 7);
      EXPECT_EQ(source->class_names(), (std::vector<std::string>{"0", "1", "2", "3"}));
      for (const int64_t index : {0, 1, 5, 5, 2, 6, 0}) {
        const Example example = source->get(index);
        EXPECT_EQ(example.shape, (Sizes{3, 2, 3}));
        for (size_t k = 0; k < 18; ++k) {  // planes of what was interleaved
          EXPECT_EQ(example.bytes[k], all[static_cast<size_t>(index) * 18 + k % 6 * 3 + k / 6]);
        }
      }
      EXPECT_EQ(source->get(3).label, 2);
      EXPECT_NE(source->name_of(3).find("samples.npz: example 3"), std::string::npos);
      EXPECT_EQ(source->fingerprint(),
                open_npz_source(path_, {.most_in_memory = memory})->fingerprint());
      test::expect_error(ErrorKind::usage, "no example 7", [&] { source->get(7); });
    }
  }
}

TEST_F(NpzSource, reads_what_numpy_wrote_as_any_other_set) {
  const auto folder = test::golden_root() / "nets" / "npz";
  const SafetensorsFile expected = SafetensorsFile::open(folder / "npz_expected.safetensors");
  for (const char* name : {"samples_stored.npz", "samples_deflated.npz", "samples_labels.npz"}) {
    const SourcePtr source = open_path(folder / name, {});
    EXPECT_EQ(source->size(), 4);
    EXPECT_EQ(source->get(0).shape, (Sizes{3, 20, 24}));
    EXPECT_EQ(source->class_names().empty(), std::string(name) != "samples_labels.npz");
  }
}

TEST_F(NpzSource, takes_grey_pictures_and_none_without_labels) {
  const SourcePtr source = open_npz_source(made_of(ZipMethod::stored, Dtype::u8, {2, 4, 5, 1}));
  EXPECT_EQ(source->get(1).shape, (Sizes{1, 4, 5}));
  EXPECT_EQ(source->get(1).label, kNoLabel);
  EXPECT_TRUE(source->class_names().empty());
}

TEST_F(NpzSource, refuses_what_holds_no_pictures) {
  const auto expect = [&](const std::string& part, Dtype dtype, const Sizes& shape) {
    expect_input_error(part, [&] { open_npz_source(made_of(ZipMethod::stored, dtype, shape)); });
  };
  expect("F32 [2, 4, 4, 3]", Dtype::f32, {2, 4, 4, 3});
  expect("U8 [2, 4, 4, 4]", Dtype::u8, {2, 4, 4, 4});
  expect("U8 [2, 4, 4]", Dtype::u8, {2, 4, 4});
  expect("no pictures in arr_0", Dtype::u8, {0, 4, 4, 3});
  expect_input_error("one label for each", [&] {
    open_npz_source(made(ZipMethod::stored, {1, 2}));
  });
  expect_input_error("the label -5", [&] {
    open_npz_source(made(ZipMethod::stored, {0, 1, 2, 3, 4, -5, 1}));
  });
  const auto golden = test::golden_root() / "nets" / "npz";
  expect_input_error("statistics of pictures, but no pictures",
                     [&] { open_path(golden / "pytorch_fid_stats.npz", {}); });
  write_file(path_, test::made_zip({{.name = "archive/data.pkl", .content = "no array"}}));
  expect_input_error("no array arr_0", [&] { open_path(path_, {}); });
}

TEST_F(NpzSource, refuses_truncated_and_damaged_files) {
  for (const ZipMethod method : {ZipMethod::stored, ZipMethod::deflated}) {
    made(method);
    const MappedFile mapped = MappedFile::open(path_);
    const std::vector<std::byte> whole(mapped.bytes().begin(), mapped.bytes().end());
    const auto broken = folder_ / "broken.npz";
    for (const test::Bytes& cut : test::truncations(whole)) {
      write_file(broken, cut);
      EXPECT_THROW(open_npz_source(broken), Error);
    }
    std::vector<std::byte> changed = whole;
    changed[200] ^= std::byte{0x10};  // a picture's byte
    write_file(broken, changed);
    expect_input_error("arr_0", [&] { open_npz_source(broken); });
    if (method == ZipMethod::stored) continue;  // nobody compares what is read in place
    const SourcePtr stream = open_npz_source(broken, {.most_in_memory = 0});
    expect_input_error("arr_0", [&] { stream->get(6); });
    expect_input_error("arr_0", [&] { stream->get(6); });
  }
}

}  // namespace
}  // namespace eqm
