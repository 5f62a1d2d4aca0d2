#include "eqm/io/idx.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/gzip.h"
#include "tests/support/made_idx.h"
#include "tests/support/peak_memory.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::expect_error;
using test::expect_input_error;
using test::idx_bytes;
using test::kIdxImages;
using test::kIdxLabels;

IdxArray parse(const std::string& text, size_t rank) {
  const auto bytes = std::as_bytes(std::span(text));
  return parse_idx({bytes.begin(), bytes.end()}, rank, "made.idx");
}

TEST(Idx, reads_shape_and_elements) {
  const IdxArray array = parse(idx_bytes(kIdxImages, {2, 1, 3}, "abcdef"), 3);
  EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 1, 3}));
  ASSERT_EQ(array.elements().size(), 6u);
  EXPECT_EQ(array.elements()[5], std::byte{'f'});
}

TEST(Idx, reads_an_empty_array) {
  EXPECT_TRUE(parse(idx_bytes(kIdxLabels, {0}, ""), 1).elements().empty());
}

TEST(Idx, refuses_every_truncation) {
  const std::string whole = idx_bytes(kIdxImages, {2, 1, 3}, "abcdef");
  for (size_t length = 0; length < whole.size(); ++length) {
    expect_input_error("'made.idx'", [&] { parse(whole.substr(0, length), 3); });
  }
  expect_input_error("within the IDX header", [&] { parse(whole.substr(0, 15), 3); });
  expect_input_error("holds 5 bytes behind its header, which announces 6",
                     [&] { parse(whole.substr(0, whole.size() - 1), 3); });
  expect_input_error("holds 7 bytes", [&] { parse(whole + "x", 3); });
}

TEST(Idx, refuses_another_kind_of_file) {
  expect_input_error("begins with 0x00000801",
                     [] { parse(idx_bytes(kIdxLabels, {12}, "abcdefghijkl"), 3); });
  expect_input_error("begins with 0x00000d03", [] {
    parse(idx_bytes(0xd03, {1, 1, 1}, "abcd"), 3);
  });
  expect_input_error("begins with", [] { parse("<html>\n<body>Not found</body>", 1); });
}

TEST(Idx, refuses_sizes_beyond_all_numbers) {
  constexpr uint32_t kHuge = std::numeric_limits<uint32_t>::max();
  expect_input_error("announces more than 2^63", [] {
    parse(idx_bytes(kIdxImages, {kHuge, kHuge, kHuge}, "abc"), 3);
  });
  // 2^32 * 2^32 would be zero in 64 bits.
  expect_input_error("announces", [] {
    parse(idx_bytes(kIdxImages, {0x80000000, 0x80000000, 4}, ""), 3);
  });
}

TEST(Idx, unpacks_no_more_than_its_header_announces) {
  const test::TemporaryFolder folder;
  constexpr size_t kBomb = size_t{256} << 20;
  const std::vector<std::pair<std::string, std::vector<std::byte>>> bombs = {
      {"unpacks to more than the 22 bytes",
       test::gzip_bomb(idx_bytes(kIdxImages, {1, 2, 3}, ""), kBomb)},
      {"begins with", test::gzip_bomb(idx_bytes(kIdxLabels, {1}, ""), kBomb)},
      {"begins with", test::gzip_bomb("", kBomb)},
      {"at most", test::gzip_bomb(idx_bytes(kIdxImages, {0x7fffffff, 1000, 1000}, ""), kBomb)},
  };
  for (const auto& [problem, bomb] : bombs) {
    SCOPED_TRACE(problem);
    write_file(folder / "bomb.gz", bomb);
    test::expect_memory_below(uint64_t{64} << 20, [&, &problem = problem] {
      expect_input_error(problem, [&] { read_idx(folder / "bomb.gz", 3); });
    });
  }
}

TEST(Idx, is_not_copied_before_its_length_is_right) {
  const test::TemporaryFolder folder;
  write_file(folder / "long", idx_bytes(kIdxImages, {1, 2, 3}, ""));
  std::filesystem::resize_file(folder / "long", size_t{256} << 20);
  test::expect_memory_below(uint64_t{64} << 20, [&] {
    expect_input_error("which announces 6", [&] { read_idx(folder / "long", 3); });
  });
}

// What header and last bytes agree on is not touched before it has come.
TEST(Idx, does_not_fill_memory_for_what_is_missing) {
  const test::TemporaryFolder folder;
  std::string noise;
  for (uint32_t i = 0; i < 300'000; ++i) noise += static_cast<char>((i * 2'654'435'761u) >> 24);
  const std::string file = idx_bytes(kIdxImages, {16, 4096, 4096}, noise);
  std::vector<std::byte> packed = test::gzipped(std::as_bytes(std::span(file)));
  packed.resize(packed.size() / 2);
  packed.insert(packed.end(), {std::byte{16}, std::byte{0}, std::byte{0}, std::byte{16}});
  write_file(folder / "short.gz", packed);
  test::expect_memory_below(uint64_t{64} << 20, [&] {
    expect_input_error("short.gz", [&] { read_idx(folder / "short.gz", 3); });
  });
}

TEST(Idx, reads_a_gzipped_file) {
  const test::TemporaryFolder folder;
  const std::string file = idx_bytes(kIdxLabels, {3}, "xyz");
  write_file(folder / "labels.gz", test::gzipped(std::as_bytes(std::span(file))));
  const IdxArray array = read_idx(folder / "labels.gz", 1);
  EXPECT_EQ(array.elements().size(), 3u);
  EXPECT_EQ(array.elements()[2], std::byte{'z'});
}

TEST(Idx, reads_a_file) {
  const test::TemporaryFolder folder;
  write_file(folder / "labels", idx_bytes(kIdxLabels, {3}, "xyz"));
  EXPECT_EQ(read_idx(folder / "labels", 1).shape, (std::vector<int64_t>{3}));
  expect_error(ErrorKind::io, "absent", [&] { read_idx(folder / "absent", 1); });
  expect_error(ErrorKind::io, "folder", [&] { read_idx(folder.path(), 1); });
}

}  // namespace
}  // namespace eqm
