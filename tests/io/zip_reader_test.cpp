#include "eqm/io/zip_reader.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/io/atomic_file.h"
#include "eqm/io/byte_cursor.h"
#include "eqm/io/zip_stream.h"
#include "tests/support/damage.h"
#include "tests/support/expect_error.h"
#include "tests/support/peak_memory.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/zip_builder.h"

namespace eqm {
namespace {

using test::bytes_of;
using test::expect_input_error;
using test::made_zip;
using test::MadeEnd;
using test::MadeEntry;

constexpr uint64_t kMost = 1 << 20;

std::string content_of(const ZipFile& zip, const std::string& name) {
  const std::vector<std::byte> bytes = read_entry(*zip.find(name), "made.zip", kMost);
  return std::string(text_of(bytes));
}

void read_all(std::string_view file) {
  const ZipFile zip = ZipFile::parse(bytes_of(file), "made.zip");
  for (const ZipEntry& entry : zip.entries()) read_entry(entry, "made.zip", kMost);
}

void expect_refused_zip(const std::string& part, const std::string& file) {
  SCOPED_TRACE(part);
  expect_input_error(part, [&] { read_all(file); });
}

std::vector<MadeEntry> two_entries() {
  return {{.name = "a/stored", .content = "stored content"},
          {.name = "a/packed", .content = std::string(1000, 'x'), .packed = true}};
}

TEST(ZipReader, reads_stored_and_deflated_entries) {
  const std::string file = made_zip(two_entries());
  const ZipFile zip = ZipFile::parse(bytes_of(file), "made.zip");
  ASSERT_EQ(zip.entries().size(), 2u);
  EXPECT_EQ(content_of(zip, "a/stored"), "stored content");
  EXPECT_EQ(content_of(zip, "a/packed"), std::string(1000, 'x'));
  EXPECT_EQ(zip.find("a"), nullptr);
}

TEST(ZipReader, stored_entries_are_views_of_the_file) {
  const std::string file = made_zip(two_entries());
  const ZipFile zip = ZipFile::parse(bytes_of(file), "made.zip");
  EXPECT_EQ(text_of(zip.find("a/stored")->packed).data(),
            file.data() + file.find("stored content"));
}

TEST(ZipReader, reads_64_bit_fields_and_comments) {
  std::vector<MadeEntry> entries = two_entries();
  for (MadeEntry& entry : entries) entry.as_zip64 = true;
  for (const bool wide : {false, true}) {
    const std::string file = made_zip(entries, {.comment = "PK\5\6 a comment", .as_zip64 = wide});
    const ZipFile zip = ZipFile::parse(bytes_of(file), "made.zip");
    EXPECT_EQ(content_of(zip, "a/packed"), std::string(1000, 'x'));
  }
}

TEST(ZipReader, an_empty_zip_has_no_entries) {
  const std::string file = made_zip({});
  EXPECT_TRUE(is_zip(bytes_of(file)));
  EXPECT_TRUE(ZipFile::parse(bytes_of(file), "made.zip").entries().empty());
}

TEST(ZipReader, paths_are_only_names) {
  const std::string file = made_zip({{.name = "../../etc/passwd", .content = "no"},
                                     {.name = "/root/.ssh/config", .content = "no"},
                                     {.name = "C:\\x", .content = "no"}});
  EXPECT_EQ(ZipFile::parse(bytes_of(file), "made.zip").entries().size(), 3u);
}

TEST(ZipReader, refuses_what_has_no_directory) {
  expect_refused_zip("no zip directory", "");
  expect_refused_zip("no zip directory", "PK\3\4 and nothing else of any use");
}

TEST(ZipReader, refuses_false_sizes) {
  expect_refused_zip("has 14 bytes and claims 15",
                     made_zip({{.name = "a", .content = "stored content", .size = 15}}));
  expect_refused_zip("ends outside the file",
                     made_zip({{.name = "a", .content = "x", .size = 500, .packed_size = 500}}));
  expect_refused_zip("unpacks to less",
                     made_zip({{.name = "a", .content = "xyz", .packed = true, .size = 4}}));
  expect_refused_zip("unpacks to more",
                     made_zip({{.name = "a", .content = "xyz", .packed = true, .size = 2}}));
  expect_refused_zip("unpacks to more",
                     made_zip({{.name = "a", .content = "xyz", .packed = true, .size = 0}}));
}

TEST(ZipReader, refuses_bombs_without_unpacking_them) {
  const std::string zeros(1 << 20, '\0');
  // A true bomb is cut off at the reader's limit, a false one already by its claim.
  expect_refused_zip("at most 1048576 are read at once",
                     made_zip({{.name = "a", .content = zeros + "x", .packed = true}}));
  const uint64_t before = test::peak_memory();
  expect_refused_zip("claims to unpack to", made_zip({{.name = "a",
                                                       .content = "x",
                                                       .packed = true,
                                                       .size = uint64_t{1} << 50,
                                                       .as_zip64 = true}}));
  EXPECT_LT(test::peak_memory() - before, uint64_t{32} << 20);
}

TEST(ZipReader, refuses_overlapping_entries) {
  std::vector<MadeEntry> entries = {{.name = "a", .content = "content"},
                                    {.name = "a", .content = "content"}};
  entries[1].header = 0;
  expect_refused_zip("overlap", made_zip(entries));
  // The quoted header of one inside the content of another.
  const std::string inner = made_zip({{.name = "b", .content = "inner"}});
  entries = {{.name = "a", .content = inner}, {.name = "b", .content = "inner"}};
  entries[1].header = 31;
  expect_refused_zip("overlap", made_zip(entries));
}

TEST(ZipReader, refuses_a_name_that_comes_twice_or_differs) {
  expect_refused_zip("comes twice",
                     made_zip({{.name = "a", .content = "1"}, {.name = "a", .content = "2"}}));
  expect_refused_zip("another name", made_zip({{.name = "a", .content = "1", .local_name = "b"}}));
}

TEST(ZipReader, refuses_false_places) {
  expect_refused_zip("lies outside the file",
                     made_zip({{.name = "a", .content = "1", .header = 4000}}));
  expect_refused_zip("has no header", made_zip({{.name = "a", .content = "123", .header = 1}}));
  expect_refused_zip("directory lies outside", made_zip(two_entries(), {.begin = 100000}));
  expect_refused_zip("directory lies outside",
                     made_zip(two_entries(), {.begin = ~uint64_t{0}, .as_zip64 = true}));
  expect_refused_zip("cannot hold 999 entries", made_zip(two_entries(), {.count = 999}));
  expect_refused_zip("does not reach to its end",
                     made_zip(two_entries(), {.count = 1, .size = 50}));
  expect_refused_zip("more than its entries", made_zip(two_entries(), {.count = 1}));
}

TEST(ZipReader, refuses_encryption_other_methods_and_parts) {
  expect_refused_zip("is encrypted", made_zip({{.name = "a", .content = "1", .flags = 1}}));
  expect_refused_zip("method 14", made_zip({{.name = "a", .content = "1", .method = 14}}));
  expect_refused_zip("one part of several", made_zip(two_entries(), {.disk = 1}));
  expect_refused_zip("one part of several", made_zip(two_entries(), {.disk = 1, .as_zip64 = true}));
}

// Of two entries, whose directory is followed by nothing but its ends. Every byte of those counts,
// but for the versions in the 64-bit one. (That there are no disks at all is what some writers
// say.)
TEST(ZipReader, refuses_any_change_of_the_directory_ends) {
  for (const bool wide : {false, true}) {
    const std::string whole = made_zip(two_entries(), {.as_zip64 = wide});
    const size_t begin = whole.find(wide ? "PK\6\6" : "PK\5\6");
    for (size_t at = begin; at < whole.size(); ++at) {
      if (wide && at >= begin + 12 && at < begin + 16) continue;
      for (const int change : {0x02, 0x80}) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ change);
        expect_input_error("made.zip", [&] { ZipFile::parse(bytes_of(damaged), "made.zip"); });
      }
    }
  }
}

TEST(ZipReader, refuses_a_directory_that_does_not_reach_to_its_end) {
  for (const bool wide : {false, true}) {
    std::string gap = made_zip(two_entries(), {.as_zip64 = wide});
    const size_t end = gap.find(wide ? "PK\6\6" : "PK\5\6");
    gap.insert(end, "more");
    if (wide) {  // the locator, which would point at the gap
      const size_t locator = gap.find("PK\6\7");
      gap.replace(locator + 8, 8, test::little(end + 4, 8));
    }
    expect_refused_zip("does not reach to its end", gap);
  }
}

TEST(ZipReader, refuses_entries_on_another_disk) {
  std::string file = made_zip(two_entries());
  file[file.find("PK\1\2") + 34] = 1;
  expect_refused_zip("is on another disk", file);
}

TEST(ZipReader, refuses_damaged_content) {
  expect_refused_zip("checksum", made_zip({{.name = "a", .content = "1", .checksum = 7}}));
  expect_refused_zip("checksum",
                     made_zip({{.name = "a", .content = "1", .packed = true, .checksum = 7}}));
  expect_refused_zip("cannot be unpacked",
                     made_zip({{.name = "a", .content = "\xff\xff\xff", .size = 5, .method = 8}}));
  const std::string file = made_zip({{.name = "a", .content = "1", .checksum = 7}});
  const ZipFile zip = ZipFile::parse(bytes_of(file), "made.zip");
  expect_input_error("checksum", [&] { check_stored(*zip.find("a"), "made.zip"); });
}

TEST(ZipReader, every_truncation_is_an_error) {
  const std::string file = made_zip(two_entries());
  for (const auto& cut : test::truncations(bytes_of(file))) {
    expect_input_error("", [&] { read_all(text_of(cut)); });
  }
}

RC_GTEST_PROP(ZipReader, survives_damage, ()) {
  const std::string whole = made_zip(two_entries(), {.as_zip64 = *rc::gen::arbitrary<bool>()});
  const auto span = bytes_of(whole);
  const test::Bytes damaged = test::with_changed_bytes({span.begin(), span.end()});
  try {
    read_all(text_of(damaged));
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
  }
}

TEST(ZipReader, opening_names_the_file) {
  const test::TemporaryFolder folder;
  write_file(folder / "bad.npz", "short");
  expect_input_error("bad.npz", [&] { ZipFile::open(folder / "bad.npz"); });
}

}  // namespace
}  // namespace eqm
