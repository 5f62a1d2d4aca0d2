#include "eqm/io/gzip.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/io/atomic_file.h"
#include "tests/support/damage.h"
#include "tests/support/expect_error.h"
#include "tests/support/gzip.h"
#include "tests/support/peak_memory.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::Bytes;
using test::expect_error;
using test::expect_input_error;
using test::gzipped;
using test::peak_memory;
using test::TemporaryFolder;

constexpr uint64_t kPlenty = uint64_t{1} << 40;

Bytes bytes_of(std::string_view text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

Bytes joined(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Bytes unpack(const Bytes& packed, uint64_t max_bytes = kPlenty) {
  return gunzip(packed, "made.gz", max_bytes);
}

// Neither constant nor without pattern, so that packing has work to do.
Bytes mixed(size_t size) {
  Bytes bytes;
  uint32_t state = 1;
  for (size_t i = 0; i < size; ++i) {
    state = state * 1'664'525u + 1'013'904'223u;
    bytes.push_back(static_cast<std::byte>(i % 3 == 0 ? state >> 24 : i / 100));
  }
  return bytes;
}

TEST(Gzip, gives_back_what_was_packed) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{32'768}, size_t{1'000'000}}) {
    EXPECT_EQ(unpack(gzipped(mixed(size))), mixed(size)) << size;
  }
}

TEST(Gzip, joins_members) {
  const Bytes a = mixed(100'000);
  const Bytes b = bytes_of("and the rest");
  EXPECT_EQ(unpack(joined(joined(gzipped(a), gzipped({})), gzipped(b))), joined(a, b));
}

TEST(Gzip, allows_zeros_behind_the_last_member_and_nothing_else) {
  const Bytes packed = gzipped(bytes_of("content"));
  EXPECT_EQ(unpack(joined(packed, Bytes(5'000))), bytes_of("content"));
  expect_input_error("7 bytes of something else",
                     [&] { unpack(joined(packed, bytes_of("garbage"))); });
  expect_input_error("3 bytes of something else",
                     [&] { unpack(joined(packed, bytes_of(std::string("\0\0x", 3)))); });
}

TEST(Gzip, refuses_truncated_files_naming_them) {
  for (const Bytes& whole : {gzipped(mixed(50'000)), gzipped(bytes_of("short"))}) {
    for (const Bytes& cut : test::truncations(whole)) {
      expect_input_error("'made.gz'", [&] { unpack(cut); });
    }
  }
}

TEST(Gzip, refuses_a_wrong_checksum_or_length) {
  const Bytes whole = gzipped(mixed(1'000));
  for (size_t from_end = 1; from_end <= 8; ++from_end) {
    Bytes damaged = whole;
    damaged[damaged.size() - from_end] ^= std::byte{1};
    expect_input_error("'made.gz'", [&] { unpack(damaged); });
  }
}

TEST(Gzip, refuses_what_is_not_gzip) {
  expect_input_error("does not begin", [] { unpack(bytes_of("plain")); });
  expect_input_error("does not begin", [] { unpack({}); });
}

TEST(Gzip, allows_exactly_the_limit) {
  EXPECT_EQ(unpack(gzipped(mixed(1'000)), 1'000).size(), 1'000u);
  expect_input_error("more than 999 bytes", [] { unpack(gzipped(mixed(1'000)), 999); });
  EXPECT_TRUE(unpack(gzipped({}), 0).empty());
  expect_input_error("more than 0 bytes", [] { unpack(gzipped(mixed(1)), 0); });
}

TEST(Gzip, stops_a_bomb_at_the_limit) {
  const Bytes bomb = gzipped(Bytes(size_t{64} << 20));
  ASSERT_LT(bomb.size(), size_t{100'000});
  expect_input_error("more than 1048576 bytes", [&] { unpack(bomb, 1 << 20); });
  // The same when its last bytes promise that it is small, and when it comes in many members.
  Bytes liar = bomb;
  for (size_t from_end = 1; from_end <= 4; ++from_end) liar[liar.size() - from_end] = std::byte{0};
  expect_input_error("more than 1048576 bytes", [&] { unpack(liar, 1 << 20); });
  Bytes many;
  for (int i = 0; i < 100; ++i) many = joined(many, gzipped(Bytes(20'000)));
  expect_input_error("more than 1048576 bytes", [&] { unpack(many, 1 << 20); });
}

TEST(Gzip, does_not_reserve_what_a_small_file_claims) {
  Bytes liar = gzipped(bytes_of("small"));
  for (size_t from_end = 1; from_end <= 4; ++from_end) {
    liar[liar.size() - from_end] = std::byte{0xFF};
  }
  const uint64_t before = peak_memory();
  expect_input_error("'made.gz'", [&] { unpack(liar); });
  EXPECT_LT(peak_memory() - before, uint64_t{1} << 30);  // four are claimed
}

RC_GTEST_PROP(Gzip, survives_changed_bytes, ()) {
  static const Bytes whole = gzipped(mixed(3'000));
  try {
    // Names and times in the header are not checked by anything, all else is.
    RC_ASSERT(unpack(test::with_changed_bytes(whole)) == mixed(3'000));
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
  }
}

TEST(ReadMaybeGzip, gives_the_content_packed_or_not) {
  const TemporaryFolder folder;
  write_file(folder / "plain", mixed(5'000));
  write_file(folder / "packed", gzipped(mixed(5'000)));
  write_file(folder / "empty", Bytes());
  EXPECT_EQ(read_maybe_gzip(folder / "plain", kPlenty), mixed(5'000));
  EXPECT_EQ(read_maybe_gzip(folder / "packed", kPlenty), mixed(5'000));
  EXPECT_TRUE(read_maybe_gzip(folder / "empty", kPlenty).empty());
}

TEST(ReadMaybeGzip, keeps_the_limit_packed_or_not) {
  const TemporaryFolder folder;
  write_file(folder / "plain", mixed(5'000));
  write_file(folder / "packed", gzipped(mixed(5'000)));
  for (const std::string name : {"plain", "packed"}) {
    EXPECT_EQ(read_maybe_gzip(folder / name, 5'000).size(), 5'000u);
    expect_input_error(name, [&] { read_maybe_gzip(folder / name, 4'999); });
  }
}

TEST(ReadMaybeGzip, refuses_folders_and_absent_files) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "it is a folder", [&] { read_maybe_gzip(folder.path(), kPlenty); });
  expect_error(ErrorKind::io, "absent", [&] { read_maybe_gzip(folder / "absent", kPlenty); });
}

}  // namespace
}  // namespace eqm
