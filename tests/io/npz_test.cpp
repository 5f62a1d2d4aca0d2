#include "eqm/io/npz.h"

#include <cstring>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/io/byte_cursor.h"
#include "tests/support/damage.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/zip_builder.h"

namespace eqm {
namespace {

using test::bytes_of;
using test::expect_input_error;
using test::TemporaryFolder;
using Sizes = std::vector<int64_t>;
using std::string_literals::operator""s;

constexpr uint64_t kMost = 1 << 20;

// An .npy of this literal, with a header of its true length.
std::string npy(const std::string& literal, const std::string& data, char version = 1) {
  return "\x93NUMPY"s + version + '\0' + test::little(literal.size(), version == 1 ? 2 : 4) +
         literal + data;
}

std::string literal(const std::string& type, const std::string& shape,
                    const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }   \n";
}

NpyArray read(const std::string& array) {
  const std::string file =
      test::made_zip({{.name = "arr_0.npy", .content = array, .packed = true}});
  return NpzFile::parse(bytes_of(file), "made.npz").read("arr_0", kMost);
}

void expect_refused(const std::string& part, const std::string& array) {
  SCOPED_TRACE(part);
  expect_input_error(part, [&] { read(array); });
}

TEST(Npz, reads_every_version_and_key_order) {
  for (const char version : {'\1', '\2', '\3'}) {
    const NpyArray array = read(npy(literal("<i2", "(2, 1)"), "aabb", version));
    EXPECT_EQ(array.dtype, Dtype::i16);
    EXPECT_EQ(array.shape, (Sizes{2, 1}));
    EXPECT_EQ(text_of(array.bytes), "aabb");
  }
  EXPECT_EQ(read(npy("{'shape': (3,), 'fortran_order': False, 'descr': '|u1'}", "abc")).shape,
            Sizes{3});
  EXPECT_EQ(read(npy(literal("<f8", "()"), "12345678")).shape, Sizes{});
  EXPECT_TRUE(read(npy(literal("<f8", "(0, 5)"), "")).bytes.empty());
}

TEST(Npz, puts_column_major_arrays_in_order) {
  EXPECT_EQ(text_of(read(npy(literal("|u1", "(2, 3)", "True"), "adbecf")).bytes), "abcdef");
  EXPECT_EQ(text_of(read(npy(literal("<i2", "(2, 1, 2)", "True"), "aaccbbdd")).bytes), "aabbccdd");
}

TEST(Npz, refuses_what_are_no_plain_numbers) {
  expect_refused("type '|O'", npy(literal("|O", "(1,)"), "x"));
  expect_refused("type '<U3'", npy(literal("<U3", "(1,)"), "x"));
  expect_refused("type '>f4'", npy(literal(">f4", "(1,)"), "1234"));
  expect_refused("records",
                 npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234"));
}

TEST(Npz, refuses_damaged_headers) {
  expect_refused("too short", "\x93NUMPY");
  expect_refused("does not begin as .npy does", std::string(100, 'x'));
  expect_refused("is of version 9", npy(literal("|u1", "(1,)"), "x", 9));
  expect_refused("ends inside its header", "\x93NUMPY\x01\0\xff\x0f{'descr'"s);
  expect_refused("claims a header of", "\x93NUMPY\x02\0\xff\xff\xff\xff{'descr'"s);
  for (const std::string bad :
       {"{}", "{'descr': '|u1'}", "{'descr': '|u1', 'fortran_order': False, 'shape': (1)x}",
        "{'descr': '|u1', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} and more",
        "{'descr': __import__('os').system('x'), 'fortran_order': False, 'shape': (1,)}"}) {
    SCOPED_TRACE(bad);
    expect_refused("damaged header", npy(bad, "x"));
  }
}

TEST(Npz, refuses_sizes_that_do_not_fit) {
  const std::string part = "not what its shape needs";
  expect_refused(part, npy(literal("|u1", "(2,)"), "x"));
  expect_refused(part, npy(literal("|u1", "(2,)"), "xyz"));
  expect_refused(part, npy(literal("<f8", "(4611686018427387904, 4)"), "x"));
  const std::string large = npy(literal("|u1", "(2000000,)"), std::string(2'000'000, '\0'));
  expect_refused("at most 1048576", large);
}

TEST(Npz, names_the_array_that_is_missing) {
  const std::string file =
      test::made_zip({{.name = "arr_0.npy", .content = "x"}, {.name = "note", .content = ""}});
  const NpzFile npz = NpzFile::parse(bytes_of(file), "made.npz");
  EXPECT_EQ(npz.names(), std::vector<std::string>{"arr_0"});
  expect_input_error("'made.npz' has no array 'mu'", [&] { npz.array("mu"); });
}

TEST(NpzWriter, rows_that_come_one_by_one_read_back) {
  for (const ZipMethod method : {ZipMethod::stored, ZipMethod::deflated}) {
    const TemporaryFolder folder;
    NpzWriter writer(folder / "a.npz", method);
    writer.begin("arr_0", Dtype::u8, {2, 3});
    for (const char* row : {"abcdef", "ghijkl", "mnopqr"}) writer.write(bytes_of(row));
    writer.end();
    writer.begin("arr_1", Dtype::i64, {});
    writer.write(bytes_of("12345678"));
    writer.end();
    writer.commit();
    const NpzFile file = NpzFile::open(folder / "a.npz");
    EXPECT_EQ(file.names(), (std::vector<std::string>{"arr_0", "arr_1"}));
    const NpyArray array = file.read("arr_0", kMost);
    EXPECT_EQ(array.shape, (Sizes{3, 2, 3}));
    EXPECT_EQ(text_of(array.bytes), "abcdefghijklmnopqr");
    EXPECT_EQ(file.read("arr_1", kMost).shape, Sizes{1});
  }
}

TEST(NpzWriter, data_begin_at_a_multiple_of_64) {
  for (const size_t rank : {0u, 3u, 20u, 60u}) {
    const size_t room = npy_header_room({.dtype = Dtype::f32, .shape = Sizes(rank, 4096)});
    EXPECT_EQ(room % 64, 0u);
    EXPECT_EQ(npy_header({.dtype = Dtype::f32, .shape = Sizes(rank, 4096)}, room).size(), room);
  }
}

TEST(NpzWriter, reading_streams_in_pieces) {
  const TemporaryFolder folder;
  NpzWriter writer(folder / "a.npz", ZipMethod::deflated);
  writer.begin("arr_0", Dtype::u8, {4});
  for (int i = 0; i < 1000; ++i) writer.write(bytes_of("abcd"));
  writer.end();
  writer.commit();
  const NpzFile file = NpzFile::open(folder / "a.npz");
  NpyReader reader = file.array("arr_0");
  std::vector<std::byte> row(4);
  int rows = 0;
  for (; reader.left() > 0; ++rows) {
    reader.read(row);
    ASSERT_EQ(text_of(row), "abcd");
  }
  EXPECT_EQ(rows, 1000);
}

RC_GTEST_PROP(Npz, survives_damage, ()) {
  const std::string whole = test::made_zip(
      {{.name = "arr_0.npy", .content = npy(literal("<f4", "(2, 2)"), "aaaabbbbccccdddd")}});
  const auto span = bytes_of(whole);
  const test::Bytes damaged = test::with_changed_bytes({span.begin(), span.end()});
  try {
    const NpzFile file = NpzFile::parse(damaged, "made.npz");
    for (const std::string& name : file.names()) file.read(name, kMost);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
  }
}

}  // namespace
}  // namespace eqm
