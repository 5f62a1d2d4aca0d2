#include "eqm/io/archive.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/io/atomic_file.h"
#include "tests/support/damage.h"
#include "tests/support/expect_error.h"
#include "tests/support/gzip.h"
#include "tests/support/peak_memory.h"
#include "tests/support/tar_builder.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::Bytes;
using test::expect_error;
using test::expect_input_error;
using test::in_blocks;
using test::pax_header;
using test::pax_record;
using test::peak_memory;
using test::tar_end;
using test::tar_file;
using test::tar_header;
using test::TemporaryFolder;

using Files = std::vector<std::pair<std::string, std::string>>;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Files files_of(const TarFile& tar) {
  Files files;
  for (size_t i = 0; i < tar.entries().size(); ++i) {
    files.emplace_back(tar.entries()[i].name, text_of(tar.bytes(i)));
  }
  return files;
}

class Tar : public ::testing::Test {
 protected:
  TarFile open(std::span<const std::byte> bytes, uint64_t limit = default_unpacked_limit()) const {
    write_file(folder_ / "made.tar", bytes);
    return TarFile::open(folder_ / "made.tar", limit);
  }
  TarFile open(const std::string& bytes) const { return open(bytes_of(bytes)); }

  Files files(const std::string& bytes) const { return files_of(open(bytes)); }

  void expect_refused(const std::string& part, const std::string& bytes) const {
    expect_input_error(part, [&] { open(bytes); });
    expect_input_error("made.tar'", [&] { open(bytes); });
  }

  TemporaryFolder folder_;
};

std::string two_files() {
  return tar_file("b/2.txt", "second") + tar_file("a/1.txt", std::string(1'000, 'x')) + tar_end();
}

TEST_F(Tar, lists_files_in_file_order_with_their_bytes) {
  EXPECT_EQ(files(two_files()),
            (Files{{"b/2.txt", "second"}, {"a/1.txt", std::string(1'000, 'x')}}));
}

TEST_F(Tar, reads_the_same_when_gzipped) {
  EXPECT_EQ(files_of(open(test::gzipped(bytes_of(two_files())))), files(two_files()));
}

TEST_F(Tar, views_a_plain_tar_without_copying) {
  // No byte may be held in memory, yet the files are there.
  EXPECT_EQ(files_of(open(bytes_of(two_files()), 0)), files(two_files()));
}

TEST_F(Tar, keeps_its_bytes_when_moved) {
  const std::string plain = two_files();
  const Bytes packed = test::gzipped(bytes_of(plain));
  for (const auto bytes : {bytes_of(plain), std::span<const std::byte>(packed)}) {
    TarFile first = open(bytes);
    const Files before = files_of(first);
    const TarFile second = std::move(first);
    EXPECT_EQ(files_of(second), before);
  }
}

TEST_F(Tar, keeps_names_as_they_are) {
  const std::string latin1 = "caf\xE9";
  const std::string greek = "\u03B3.png";
  const std::string tar = tar_file("../../etc/passwd", "a") + tar_file("/root", "b") +
                          tar_file(latin1, "c") + pax_header(pax_record("path", greek)) +
                          tar_file("short", "d") + tar_end();
  EXPECT_EQ(files(tar),
            (Files{{"../../etc/passwd", "a"}, {"/root", "b"}, {latin1, "c"}, {greek, "d"}}));
}

TEST_F(Tar, reads_long_names) {
  const std::string name = std::string(300, 'd') + "/f";
  const std::string gnu =
      tar_header({.name = "././@LongLink", .size = name.size() + 1, .type = 'L'}) +
      in_blocks(name + '\0') + tar_file(name, "x");
  EXPECT_EQ(files(gnu + tar_end()), (Files{{name, "x"}}));
}

TEST_F(Tar, leaves_out_what_is_not_a_file) {
  EXPECT_EQ(files(tar_header({.name = "folder/", .type = '5'}) + tar_file("folder/f", "x") +
                  tar_header({.name = "soft", .type = '2', .link = "folder/f"}) +
                  tar_header({.name = "device", .type = '3'}) +
                  tar_header({.name = "pipe", .type = '6'}) + tar_end()),
            (Files{{"folder/f", "x"}}));
}

TEST_F(Tar, gives_a_hard_link_the_bytes_of_its_file) {
  EXPECT_EQ(files(tar_file("first", "x") + tar_file("other", "y") +
                  tar_header({.name = "again", .type = '1', .link = "first"}) +
                  tar_header({.name = "nowhere", .type = '1', .link = "absent"}) + tar_end()),
            (Files{{"first", "x"}, {"other", "y"}, {"again", "x"}}));
}

TEST_F(Tar, may_hold_no_files_and_files_without_bytes) {
  EXPECT_TRUE(files(tar_end()).empty());
  EXPECT_TRUE(files(std::string(10'240, '\0')).empty());
  EXPECT_EQ(files(tar_file("none", "") + tar_file("some", "x") + tar_end()),
            (Files{{"none", ""}, {"some", "x"}}));
}

// Four bytes behind a hole of 600.
std::string sparse_file(const std::string& size) {
  return pax_header(pax_record("GNU.sparse.size", size) + pax_record("GNU.sparse.numblocks", "1") +
                    pax_record("GNU.sparse.map", "600,4")) +
         tar_file("sparse", "data");
}

TEST_F(Tar, refuses_files_with_holes_with_a_hint_to_unpack) {
  for (const std::string size : {"1000", "4000000000000000000"}) {
    expect_refused("'sparse'", sparse_file(size) + tar_file("next", "x") + tar_end());
  }
}

TEST_F(Tar, refuses_every_truncation) {
  const std::string whole = two_files();
  const Bytes packed = test::gzipped(bytes_of(whole));
  // Half of the end mark, 512 zeros, is still one.
  const std::string shortest = whole.substr(0, whole.size() - 512);
  EXPECT_EQ(files(shortest), files(whole));
  for (size_t size = 0; size < shortest.size(); size += 128)
    expect_refused("", whole.substr(0, size));
  for (const Bytes& cut : test::truncations(bytes_of(shortest))) expect_refused("", text_of(cut));
  for (const Bytes& cut : test::truncations(packed)) expect_refused("", text_of(cut));
}

TEST_F(Tar, refuses_a_tar_that_stops_between_two_files) {
  expect_refused("without the mark", tar_file("only", "x"));
}

TEST_F(Tar, refuses_sizes_beyond_its_end_without_reserving_memory) {
  const uint64_t before = peak_memory();
  for (const uint64_t size : {uint64_t{600}, uint64_t{1} << 32, uint64_t{1} << 62,
                              (uint64_t{1} << 63) - 1, uint64_t{1} << 63, ~uint64_t{0}}) {
    expect_refused(
        "", tar_header({.name = "huge", .size = size}) + in_blocks("x") + tar_end().substr(512));
  }
  EXPECT_LT(peak_memory() - before, uint64_t{1} << 30);
}

TEST_F(Tar, names_the_file_that_is_cut_off) {
  expect_refused("inside of 'huge'",
                 tar_header({.name = "huge", .size = 5'000}) + in_blocks("x") + tar_end());
}

TEST_F(Tar, refuses_what_is_not_a_tar) {
  expect_refused("it is empty", "");
  expect_refused("as a tar", "x");
  expect_refused("as a tar", std::string(2'000, 'x'));
  expect_refused("as a tar", "PK\x03\x04 a zip");
  expect_error(ErrorKind::io, "it is a folder", [&] { TarFile::open(folder_.path()); });
  expect_error(ErrorKind::io, "absent.tar", [&] { TarFile::open(folder_ / "absent.tar"); });
}

TEST_F(Tar, refuses_a_gzip_of_something_else) {
  expect_input_error("as a tar", [&] { open(test::gzipped(bytes_of("no tar"))); });
  expect_input_error("it is empty", [&] { open(test::gzipped({})); });
}

TEST_F(Tar, stops_a_bomb_at_the_limit_with_a_hint_to_unpack_it) {
  const Bytes bomb =
      test::gzipped(bytes_of(tar_file("zeros", std::string(size_t{64} << 20, '\0')) + tar_end()));
  expect_input_error("more than 1048576 bytes", [&] {
    try {
      open(bomb, 1 << 20);
    } catch (const Error& error) {
      EXPECT_NE(error.hint().find("unpack it"), std::string::npos) << error.hint();
      throw;
    }
  });
}

// Whatever is behind it, a gzip is unpacked no further than it is a tar.
TEST_F(Tar, does_not_unpack_bombs_that_are_no_tars) {
  constexpr size_t kBomb = size_t{256} << 20;
  const std::string begin = tar_file("a", "content");
  const std::vector<std::pair<std::string, Bytes>> bombs = {
      {"after its end mark", test::gzip_bomb("", kBomb)},
      {"after its end mark", test::gzip_bomb(begin, kBomb)},
      {"as a tar", test::gzip_bomb(begin, kBomb, 'x')},
      {"it holds more than",
       test::gzip_bomb(tar_header({.name = "a", .size = uint64_t{1} << 40}), kBomb)},
  };
  for (const auto& [problem, bomb] : bombs) {
    SCOPED_TRACE(problem);
    ASSERT_LT(bomb.size(), kBomb / 500);
    test::expect_memory_below(uint64_t{64} << 20, [&, &problem = problem, &bomb = bomb] {
      expect_input_error(problem, [&] { open(bomb); });
    });
  }
}

// Honest about its size, and still no picture.
TEST_F(Tar, does_not_unpack_files_larger_than_any_picture) {
  const Bytes bomb = test::gzip_bomb(
      tar_file("a", "content") + tar_header({.name = "b", .size = kMostPackedEntry + 1}),
      kMostPackedEntry + 2048);
  test::expect_memory_below(uint64_t{64} << 20, [&] {
    expect_input_error("a file in it has 268435457 bytes, and 268435456 are allowed",
                       [&] { open(bomb); });
  });
}

TEST_F(Tar, may_be_padded_to_whole_records) {
  const TarFile tar = open(test::gzipped(bytes_of(two_files() + std::string(1'000'000, '\0'))));
  EXPECT_EQ(tar.entries().size(), 2u);
}

TEST_F(Tar, checks_the_padding_of_a_gzipped_one) {
  Bytes damaged = test::gzipped(bytes_of(two_files() + std::string(1'000'000, '\0')));
  damaged[damaged.size() - 5] ^= std::byte{1};  // in its checksum
  expect_input_error("cannot unpack", [&] { open(damaged); });
}

TEST_F(Tar, refuses_a_damaged_header) {
  std::string bytes = two_files();
  bytes[3] ^= 1;  // in the first name, so that the checksum is wrong
  expect_refused("as a tar", bytes);
}

TEST(TarLimit, is_half_of_the_memory_at_most) {
  EXPECT_GT(default_unpacked_limit(), uint64_t{64} << 20);
  EXPECT_LE(default_unpacked_limit(), uint64_t{8} << 30);
}

RC_GTEST_FIXTURE_PROP(Tar, survives_changed_bytes, ()) {
  const std::string whole = *rc::gen::element(two_files(), sparse_file("1000") + two_files());
  const std::span<const std::byte> bytes = bytes_of(whole);
  const Bytes changed = test::with_changed_bytes({bytes.begin(), bytes.end()});
  try {
    const TarFile tar = open(changed, 1 << 20);
    uint64_t sum = 0;  // touches every byte, for the sanitizer
    for (const TarEntry& entry : tar.entries()) {
      for (const std::byte value : entry.bytes) sum += std::to_integer<uint64_t>(value);
    }
    RC_ASSERT(sum <= 255 * whole.size());
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
  }
}

}  // namespace
}  // namespace eqm
