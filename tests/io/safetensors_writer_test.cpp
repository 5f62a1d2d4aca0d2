#include "eqm/io/safetensors_writer.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/io/mapped_file.h"
#include "eqm/io/text.h"
#include "tests/io/safetensors_builder.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::expect_error;
using test::TemporaryFolder;

NamedTensor tensor(std::string name, Dtype dtype, std::vector<int64_t> shape,
                   std::string_view bytes) {
  return {std::move(name), {dtype, std::move(shape), std::as_bytes(std::span(bytes))}};
}

// Refused before anything is created.
void expect_refused(const std::string& part, const std::vector<NamedTensor>& tensors,
                    const std::map<std::string, std::string>& metadata = {}) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::usage, part,
               [&] { write_safetensors(folder / "file", tensors, metadata); });
  EXPECT_TRUE(folder.names().empty());
}

TEST(SafetensorsWriter, writes_the_bytes_of_the_reference_library) {
  const TemporaryFolder folder;
  write_safetensors(folder / "file",
                    {tensor("z", Dtype::u8, {1}, "z"), tensor("b", Dtype::f32, {1}, "bbbb"),
                     tensor("a", Dtype::f32, {1, 1}, "aaaa")},
                    {{"format", "pt"}});
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]},)"
      R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},)"
      R"("z":{"dtype":"U8","shape":[1],"data_offsets":[8,9]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(MappedFile::open(folder / "file").text(), test::file_of(padded, "aaaabbbbz"));
}

TEST(SafetensorsWriter, writes_a_file_without_tensors) {
  const TemporaryFolder folder;
  write_safetensors(folder / "file", {});
  EXPECT_EQ(MappedFile::open(folder / "file").text(), test::file_of("{}      "));
}

TEST(SafetensorsWriter, refuses_names_that_come_twice) {
  expect_refused("'a' comes twice",
                 {tensor("a", Dtype::u8, {1}, "x"), tensor("a", Dtype::i8, {1}, "y")});
}

TEST(SafetensorsWriter, refuses_the_name_of_the_metadata) {
  expect_refused("'__metadata__'", {tensor("__metadata__", Dtype::u8, {1}, "x")});
}

TEST(SafetensorsWriter, refuses_bytes_that_disagree_with_the_shape) {
  expect_refused("disagrees with its shape [2] of F32", {tensor("a", Dtype::f32, {2}, "1234")});
  expect_refused("disagrees", {tensor("a", Dtype::u8, {-1}, "")});
  expect_refused("disagrees", {tensor("a", Dtype::u8, {int64_t{1} << 62, 4}, "")});
}

TEST(SafetensorsWriter, refuses_what_its_reader_would_refuse) {
  expect_refused("not UTF-8", {tensor("\xFF", Dtype::u8, {1}, "x")});
  expect_refused("not UTF-8", {}, {{"key", "\xFF"}});
  expect_refused("dimensions", {tensor("a", Dtype::u8, std::vector<int64_t>(65, 1), "x")});
}

struct Drawn {
  Dtype dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};

Drawn draw_tensor() {
  Drawn drawn;
  drawn.dtype = static_cast<Dtype>(*rc::gen::inRange(0, static_cast<int>(Dtype::u64) + 1));
  drawn.shape = *rc::gen::resize(
      4, rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 4)));
  const auto size = byte_count(drawn.dtype, drawn.shape).value();
  drawn.bytes = *rc::gen::container<std::string>(size, rc::gen::arbitrary<char>());
  return drawn;
}

RC_GTEST_PROP(SafetensorsWriter, what_is_written_reads_back, ()) {
  const auto texts = rc::gen::map(rc::gen::arbitrary<std::string>(),
                                  [](const std::string& raw) { return utf8_from_latin1(raw); });
  std::map<std::string, Drawn> drawn;
  for (const std::string& name : *rc::gen::container<std::vector<std::string>>(texts)) {
    drawn[name] = draw_tensor();
  }
  const auto metadata = *rc::gen::container<std::map<std::string, std::string>>(texts, texts);
  std::vector<NamedTensor> tensors;
  for (const auto& [name, t] : drawn) tensors.push_back(tensor(name, t.dtype, t.shape, t.bytes));

  const TemporaryFolder folder;
  write_safetensors(folder / "file", tensors, metadata);
  std::reverse(tensors.begin(), tensors.end());
  write_safetensors(folder / "again", tensors, metadata);
  RC_ASSERT(MappedFile::open(folder / "file").text() == MappedFile::open(folder / "again").text());

  const SafetensorsFile file = SafetensorsFile::open(folder / "file");
  RC_ASSERT(file.metadata() == metadata);
  RC_ASSERT(file.names().size() == drawn.size());
  for (const auto& [name, t] : drawn) {
    const TensorView& view = file.at(name);
    RC_ASSERT(view.dtype == t.dtype);
    RC_ASSERT(view.shape == t.shape);
    RC_ASSERT(test::text_of(view) == t.bytes);
    // Mapped memory starts at a page, so every tensor is aligned for its type.
    RC_ASSERT(reinterpret_cast<uintptr_t>(view.bytes.data()) % size_of(t.dtype) == 0u);
  }
}

}  // namespace
}  // namespace eqm
