#include "eqm/data/tensor_source.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "eqm/io/safetensors.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::expect_error;
using test::expect_input_error;
using test::TemporaryFolder;
using Names = std::vector<std::string>;
using Floats = std::vector<float>;

template <class Number>
TensorView view_of(Dtype dtype, std::vector<int64_t> shape, const std::vector<Number>& numbers) {
  return {.dtype = dtype, .shape = std::move(shape), .bytes = std::as_bytes(std::span(numbers))};
}

Floats floats_of(const Example& example) {
  EXPECT_EQ(example.dtype, Dtype::f32);
  Floats floats(example.bytes.size() / sizeof(float));
  std::memcpy(floats.data(), example.bytes.data(), example.bytes.size());
  return floats;
}

class TensorSource : public ::testing::Test {
 protected:
  SourcePtr open(const std::vector<NamedTensor>& tensors,
                 const std::map<std::string, std::string>& metadata = {}) {
    write_safetensors(path_, tensors, metadata);
    return open_tensor_source(path_);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "set.safetensors";
  std::vector<uint8_t> pixels_ = {1, 2, 3, 4, 5, 6};
  std::vector<int32_t> labels_ = {2, 0, 1};
  NamedTensor images_ = {"images", view_of(Dtype::u8, {3, 1, 1, 2}, pixels_)};
};

TEST_F(TensorSource, reads_pixels_without_labels) {
  const SourcePtr source = open({images_});
  ASSERT_EQ(source->size(), 3);
  const Example example = source->get(1);
  EXPECT_EQ(example.dtype, Dtype::u8);
  EXPECT_EQ(example.shape, (std::vector<int64_t>{1, 1, 2}));
  EXPECT_EQ(example.bytes, (std::vector<std::byte>{std::byte{3}, std::byte{4}}));
  EXPECT_EQ(example.label, kNoLabel);
  EXPECT_TRUE(source->class_names().empty());
  EXPECT_EQ(source->name_of(2), path_.string() + ": example 2");
}

TEST_F(TensorSource, reads_labels_and_their_names) {
  const NamedTensor labels = {"labels", view_of(Dtype::i32, {3}, labels_)};
  const SourcePtr numbered = open({images_, labels});
  EXPECT_EQ(numbered->get(0).label, 2);
  EXPECT_EQ(numbered->class_names(), (Names{"0", "1", "2"}));
  const SourcePtr named = open({images_, labels}, {{"class_names", R"(["a", "b", "c", "d"])"}});
  EXPECT_EQ(named->class_names(), (Names{"a", "b", "c", "d"}));
  EXPECT_NE(named->fingerprint(), numbered->fingerprint());
}

TEST_F(TensorSource, reads_labels_of_every_integer_type) {
  const auto last_label = [&](Dtype dtype, const auto& numbers) {
    return open({images_, {"labels", view_of(dtype, {3}, numbers)}})->get(2).label;
  };
  EXPECT_EQ(last_label(Dtype::u8, std::vector<uint8_t>{0, 1, 200}), 200);
  EXPECT_EQ(last_label(Dtype::i8, std::vector<int8_t>{0, 1, 100}), 100);
  EXPECT_EQ(last_label(Dtype::u16, std::vector<uint16_t>{0, 1, 40000}), 40000);
  EXPECT_EQ(last_label(Dtype::i16, std::vector<int16_t>{0, 1, 999}), 999);
  EXPECT_EQ(last_label(Dtype::u32, std::vector<uint32_t>{0, 1, 70000}), 70000);
  EXPECT_EQ(last_label(Dtype::i64, std::vector<int64_t>{0, 1, 999}), 999);
  EXPECT_EQ(last_label(Dtype::u64, std::vector<uint64_t>{0, 1, 999}), 999);
}

TEST_F(TensorSource, widens_half_types) {
  const std::vector<uint16_t> f16 = {0x3c00, 0xc000, 0x0001, 0x0000};
  const Floats halves = {1, -2, std::ldexp(1.0f, -24), 0};
  const SourcePtr latents = open({{"latents", view_of(Dtype::f16, {1, 4}, f16)}});
  EXPECT_EQ(floats_of(latents->get(0)), halves);
  const std::vector<uint16_t> bf16 = {0x3f80, 0xc000};
  EXPECT_EQ(floats_of(open({{"x", view_of(Dtype::bf16, {2, 1}, bf16)}})->get(1)), Floats{-2});
  const Floats floats = {1.5f, 2.5f};
  EXPECT_EQ(floats_of(open({{"x", view_of(Dtype::f32, {2, 1}, floats)}})->get(1)), Floats{2.5f});
}

TEST_F(TensorSource, names_an_example_that_is_not_finite) {
  const Floats floats = {1, std::numeric_limits<float>::infinity()};
  const SourcePtr source = open({{"x", view_of(Dtype::f32, {2, 1}, floats)}});
  EXPECT_EQ(floats_of(source->get(0)), Floats{1});
  expect_input_error("example 1': number 0 is not finite", [&] { source->get(1); });
}

TEST_F(TensorSource, refuses_a_file_without_examples) {
  expect_input_error("has no tensor 'x', 'images', 'latents' or 'posteriors'", [&] {
    open({{"weights", view_of(Dtype::u8, {6}, pixels_)}});
  });
  expect_input_error("no list of examples", [&] {
    open({{"x", view_of(Dtype::u8, {6}, pixels_)}});
  });
  expect_input_error("no list of examples", [&] {
    open({{"x", view_of(Dtype::u8, {0, 6}, std::vector<uint8_t>())}});
  });
  expect_input_error("no list of examples", [&] {
    open({{"x", view_of(Dtype::u8, {6, 0}, std::vector<uint8_t>())}});
  });
  expect_input_error("has examples of type I32", [&] {
    open({{"x", view_of(Dtype::i32, {3, 1}, labels_)}});
  });
}

TEST_F(TensorSource, refuses_labels_that_do_not_fit) {
  const auto refused = [&](const std::string& part, const TensorView& labels) {
    expect_input_error(part, [&] { open({images_, {"labels", labels}}); });
  };
  refused("one label for each of its 3", view_of(Dtype::i32, {1, 3}, labels_));
  refused("one label for each of its 3", view_of(Dtype::u8, {6}, pixels_));
  refused("labels of type F32", view_of(Dtype::f32, {3}, Floats{0, 1, 2}));
  refused("example 1 the label -1", view_of(Dtype::i32, {3}, std::vector<int32_t>{0, -1, 0}));
  refused("example 0 the label 2147483647",
          view_of(Dtype::i32, {3}, std::vector<int32_t>{2147483647, 0, 0}));
  refused("example 2 the label -", view_of(Dtype::u64, {3}, std::vector<uint64_t>{0, 0, ~0ull}));
}

TEST_F(TensorSource, refuses_class_names_that_do_not_fit) {
  const NamedTensor labels = {"labels", view_of(Dtype::i32, {3}, labels_)};
  for (const char* names : {"cat, dog", R"({"a": 1})", "[1, 2, 3]", "[\"a\"", ""}) {
    expect_input_error("not a JSON list", [&] {
      open({images_, labels}, {{"class_names", names}});
    });
  }
  expect_input_error("label 2, but there are 2 classes", [&] {
    open({images_, labels}, {{"class_names", R"(["a", "b"])"}});
  });
}

TEST_F(TensorSource, refuses_truncated_and_missing_files) {
  open({images_});
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 1);
  expect_input_error("set.safetensors", [&] { open_tensor_source(path_); });
  expect_error(ErrorKind::io, "absent", [&] { open_tensor_source(folder_ / "absent"); });
}

}  // namespace
}  // namespace eqm
