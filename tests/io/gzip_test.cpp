#include "eqm/io/gzip.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/damage.h"
#include "tests/support/expect_error.h"
#include "tests/support/gzip.h"
#include "tests/support/peak_memory.h"

namespace eqm {
namespace {

using test::Bytes;
using test::expect_input_error;
using test::gzipped;

constexpr uint64_t kPlenty = uint64_t{1} << 40;

Bytes bytes_of(std::string_view text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

Bytes joined(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Bytes unpack(const Bytes& packed) {
  GzipStream stream(packed, "made.gz");
  Bytes content;
  stream.append_to(content, kPlenty);
  return content;
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

TEST(Gzip, gives_no_more_than_is_asked_for) {
  const Bytes packed = joined(gzipped(mixed(1'000)), gzipped(mixed(500)));
  GzipStream stream(packed, "made.gz");
  EXPECT_TRUE(stream.next(0).empty());
  EXPECT_EQ(stream.next(1).size(), 1u);
  Bytes content;
  stream.append_to(content, 998);
  EXPECT_EQ(content.size(), 998u);
  EXPECT_EQ(content.back(), mixed(1'000)[998]);
  stream.append_to(content, kPlenty);
  EXPECT_EQ(content.size(), 1'499u);
  EXPECT_TRUE(stream.next().empty());
  EXPECT_TRUE(stream.next().empty());
}

TEST(Gzip, unpacks_of_a_bomb_what_is_asked_for) {
  const Bytes bomb = test::gzip_bomb("", size_t{256} << 20);
  ASSERT_LT(bomb.size(), size_t{400'000});
  test::expect_memory_below(uint64_t{64} << 20, [&] {
    GzipStream stream(bomb, "made.gz");
    Bytes content;
    content.reserve(stream.claimed_size());
    stream.append_to(content, 1'000'000);
    EXPECT_EQ(content, Bytes(1'000'000));
  });
}

TEST(Gzip, claims_what_its_end_says_within_reason) {
  const Bytes packed = gzipped(mixed(5'000));
  EXPECT_EQ(GzipStream(packed, "made.gz").claimed_size(), 5'000u);
  Bytes liar = packed;
  for (size_t from_end = 1; from_end <= 4; ++from_end) {
    liar[liar.size() - from_end] = std::byte{0xFF};
  }
  EXPECT_LE(GzipStream(liar, "made.gz").claimed_size(), liar.size() * 1032);
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

}  // namespace
}  // namespace eqm
