#include "eqm/io/safetensors_reader.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/io/atomic_file.h"
#include "eqm/io/safetensors_header.h"
#include "tests/io/safetensors_builder.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::entry;
using test::expect_input_error;
using test::file_of;
using test::length_bytes;
using test::parse;
using test::sample_file;
using test::TemporaryFolder;
using Names = std::vector<std::string>;

void expect_refused(const std::string& part, const std::string& file) {
  expect_input_error(part, [&] { parse(file); });
}

TEST(Safetensors, reads_tensors_and_metadata) {
  const std::string bytes = sample_file();
  const SafetensorsFile file = parse(bytes);
  EXPECT_EQ(file.metadata(), (std::map<std::string, std::string>{{"k", "v"}, {"l", ""}}));
  EXPECT_EQ(file.names(), (Names{"b", "none", "a"}));
  EXPECT_EQ(file.at("a").dtype, Dtype::i16);
  EXPECT_EQ(file.at("a").shape, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(test::text_of(file.at("a")), "abcdef");
  EXPECT_EQ(test::text_of(file.at("b")), "01234567");
  EXPECT_TRUE(file.at("none").bytes.empty());
  EXPECT_EQ(file.mapping(), nullptr);
}

TEST(Safetensors, does_not_copy_the_bytes) {
  const std::string bytes = sample_file();
  const SafetensorsFile file = parse(bytes);
  const auto* end = reinterpret_cast<const std::byte*>(bytes.data() + bytes.size());
  EXPECT_EQ(file.at("a").bytes.data() + 6, end);
}

TEST(Safetensors, keeps_the_mapping_alive_for_its_views) {
  const TemporaryFolder folder;
  write_file(folder / "model.safetensors", sample_file());
  std::shared_ptr<const MappedFile> mapping;
  TensorView view;
  {
    const SafetensorsFile file = SafetensorsFile::open(folder / "model.safetensors");
    mapping = file.mapping();
    view = file.at("a");
  }
  ASSERT_NE(mapping, nullptr);
  EXPECT_EQ(test::text_of(view), "abcdef");
}

TEST(Safetensors, names_the_missing_tensor_and_the_file) {
  const std::string bytes = sample_file();
  const SafetensorsFile file = parse(bytes);
  EXPECT_FALSE(file.contains("c"));
  expect_input_error("'made.safetensors' has no tensor 'c'", [&] { file.at("c"); });
}

TEST(Safetensors, opening_names_the_file) {
  const TemporaryFolder folder;
  write_file(folder / "bad.safetensors", "short");
  expect_input_error("bad.safetensors", [&] { SafetensorsFile::open(folder / "bad.safetensors"); });
}

TEST(Safetensors, accepts_a_file_without_tensors) {
  EXPECT_TRUE(parse(file_of("{}")).names().empty());
}

TEST(Safetensors, accepts_scalars_and_empty_tensors) {
  const std::string bytes = file_of(
      "{" + entry("s", "F64", "[]", "[0,8]") + "," + entry("e", "F64", "[4,0]", "[8,8]") + "}",
      "12345678");
  EXPECT_TRUE(parse(bytes).at("s").shape.empty());
  EXPECT_EQ(parse(bytes).names(), (Names{"s", "e"}));
}

TEST(Safetensors, refuses_files_too_short_for_a_length) {
  expect_refused("has 0 bytes", "");
  expect_refused("has 7 bytes", std::string(7, '\0'));
}

TEST(Safetensors, refuses_a_header_longer_than_the_file) {
  expect_refused("claims a header of 3 bytes", length_bytes(3) + "{}");
  expect_refused("claims a header of 18446744073709551615 bytes", length_bytes(UINT64_MAX) + "{}");
}

TEST(Safetensors, refuses_a_header_over_the_cap) {
  const std::string header = "{" + std::string(kMaxSafetensorsHeader - 1, ' ') + "}";
  expect_refused("100000000 are allowed", file_of(header));
}

TEST(Safetensors, refuses_a_tensor_that_ends_before_it_begins) {
  expect_refused("before its begin", file_of("{" + entry("a", "U8", "[0]", "[1,0]") + "}", "x"));
}

TEST(Safetensors, refuses_a_tensor_outside_the_file) {
  expect_refused("tensor 'a' end at byte 2 of 1",
                 file_of("{" + entry("a", "U8", "[2]", "[0,2]") + "}", "x"));
  const std::string far = "18446744073709551615";
  expect_refused("end at byte " + far,
                 file_of("{" + entry("a", "U8", "[0]", "[" + far + "," + far + "]") + "}"));
}

TEST(Safetensors, refuses_a_shape_that_disagrees_with_the_bytes) {
  expect_refused("gives tensor 'a' 3 bytes where its shape needs 4",
                 file_of("{" + entry("a", "F32", "[1]", "[0,3]") + "}", "xyz"));
  expect_refused("gives tensor 'a' 4 bytes where its shape needs 0",
                 file_of("{" + entry("a", "F32", "[0]", "[0,4]") + "}", "wxyz"));
}

TEST(Safetensors, refuses_shapes_whose_product_overflows) {
  // 2^32 times 2^32 would wrap to the 0 bytes it has.
  expect_refused("too large to count",
                 file_of("{" + entry("a", "U8", "[4294967296,4294967296]", "[0,0]") + "}"));
  // 2^62 elements of four bytes wrap as well.
  expect_refused("too large to count",
                 file_of("{" + entry("a", "F32", "[4611686018427387904]", "[0,0]") + "}"));
}

TEST(Safetensors, refuses_overlapping_tensors) {
  const std::string overlap =
      "{" + entry("a", "U8", "[2]", "[0,2]") + "," + entry("b", "U8", "[2]", "[1,3]") + "}";
  expect_refused("tensor 'b' begin at byte 1, inside", file_of(overlap, "xyz"));
  const std::string same =
      "{" + entry("a", "U8", "[2]", "[0,2]") + "," + entry("b", "U8", "[2]", "[0,2]") + "}";
  expect_refused("tensor 'b' begin at byte 0, inside", file_of(same, "xy"));
}

TEST(Safetensors, refuses_an_empty_tensor_inside_another) {
  const std::string inside =
      "{" + entry("a", "U8", "[2]", "[0,2]") + "," + entry("b", "U8", "[0]", "[1,1]") + "}";
  expect_refused("tensor 'b' begin at byte 1, inside", file_of(inside, "xy"));
}

TEST(Safetensors, refuses_holes) {
  expect_refused("unused bytes 0 to 1 before tensor 'a'",
                 file_of("{" + entry("a", "U8", "[1]", "[1,2]") + "}", "xy"));
  const std::string gap =
      "{" + entry("a", "U8", "[1]", "[0,1]") + "," + entry("b", "U8", "[1]", "[2,3]") + "}";
  expect_refused("unused bytes 1 to 2 before tensor 'b'", file_of(gap, "xyz"));
}

TEST(Safetensors, refuses_bytes_after_the_last_tensor) {
  expect_refused("1 bytes after its last tensor",
                 file_of("{" + entry("a", "U8", "[1]", "[0,1]") + "}", "xy"));
  expect_refused("1 bytes after its last tensor", file_of("{}", "x"));
}

// Whatever was accepted must be a partition of the file's end, in order, each part as large as its
// shape says.
void check_rules(const SafetensorsFile& file, std::string_view bytes) {
  const std::span<const std::byte> whole = std::as_bytes(std::span(bytes));
  std::ptrdiff_t covered = -1;  // a position in the file, once there is a first tensor
  unsigned sum = 0;
  for (const std::string& name : file.names()) {
    const TensorView& view = file.at(name);
    RC_ASSERT(byte_count(view.dtype, view.shape) == view.bytes.size());
    const std::ptrdiff_t begin = view.bytes.data() - whole.data();
    if (covered >= 0) RC_ASSERT(begin == covered);
    covered = begin + std::ssize(view.bytes);
    // Touches every byte, for the sanitiser.
    for (const std::byte b : view.bytes) sum += std::to_integer<unsigned>(b);
  }
  if (covered >= 0) RC_ASSERT(covered == std::ssize(whole));
  RC_ASSERT(sum <= 255 * whole.size());
}

void parse_or_refuse(const std::string& bytes) {
  try {
    check_rules(parse(bytes), bytes);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
  }
}

RC_GTEST_PROP(Safetensors, survives_changed_bytes, ()) {
  std::string bytes = sample_file();
  const auto changes = *rc::gen::inRange(1, 5);
  // Half of the changes are bytes that mean something in the header, so that more of them get past
  // the JSON.
  const std::string meaningful = "{}[]\",:0123456789 -.eEtfn\\u";
  for (int i = 0; i < changes; ++i) {
    const auto where = *rc::gen::inRange<size_t>(0, bytes.size());
    bytes[where] = *rc::gen::oneOf(rc::gen::arbitrary<char>(), rc::gen::elementOf(meaningful));
  }
  parse_or_refuse(bytes);
}

RC_GTEST_PROP(Safetensors, survives_cuts_and_insertions, (const std::string& inserted)) {
  std::string bytes = sample_file();
  const auto where = *rc::gen::inRange<size_t>(0, bytes.size() + 1);
  const auto removed = *rc::gen::inRange<size_t>(0, bytes.size());
  bytes.replace(where, removed, inserted);
  parse_or_refuse(bytes);
}

RC_GTEST_PROP(Safetensors, survives_any_header_with_its_true_length,
              (const std::string& header, const std::string& data)) {
  parse_or_refuse(file_of("{" + header + "}", data));
}

TEST(Safetensors, refuses_every_truncation) {
  const std::string bytes = sample_file();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(parse(bytes.substr(0, size)), Error) << size;
  }
}

}  // namespace
}  // namespace eqm
