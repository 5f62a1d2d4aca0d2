#include "eqm/io/tensor_view.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace eqm {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(TensorView, names_and_dtypes_map_one_to_one) {
  for (int i = 0; i <= static_cast<int>(Dtype::u64); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    EXPECT_EQ(dtype_from_name(name_of(dtype)), dtype);
  }
  EXPECT_EQ(dtype_from_name("f32"), std::nullopt);
  EXPECT_EQ(dtype_from_name(""), std::nullopt);
}

TEST(TensorView, knows_the_size_of_each_width) {
  EXPECT_EQ(size_of(Dtype::boolean), 1u);
  EXPECT_EQ(size_of(Dtype::f8_e4m3), 1u);
  EXPECT_EQ(size_of(Dtype::bf16), 2u);
  EXPECT_EQ(size_of(Dtype::f32), 4u);
  EXPECT_EQ(size_of(Dtype::u64), 8u);
}

TEST(TensorView, counts_elements_of_scalars_and_empty_tensors) {
  EXPECT_EQ(element_count({}), 1u);
  EXPECT_EQ(element_count(std::vector<int64_t>{3, 0, 5}), 0u);
  EXPECT_EQ(byte_count(Dtype::f32, std::vector<int64_t>{3, 2}), 24u);
}

TEST(TensorView, refuses_counts_past_the_limit) {
  EXPECT_EQ(element_count(std::vector<int64_t>{kMax}), static_cast<uint64_t>(kMax));
  EXPECT_EQ(element_count(std::vector<int64_t>{kMax, 2}), std::nullopt);
  EXPECT_EQ(element_count(std::vector<int64_t>{int64_t{1} << 32, int64_t{1} << 32}), std::nullopt);
  EXPECT_EQ(byte_count(Dtype::u8, std::vector<int64_t>{kMax}), static_cast<uint64_t>(kMax));
  EXPECT_EQ(byte_count(Dtype::u16, std::vector<int64_t>{kMax}), std::nullopt);
}

TEST(TensorView, refuses_negative_dimensions) {
  EXPECT_EQ(element_count(std::vector<int64_t>{-1}), std::nullopt);
  EXPECT_EQ(element_count(std::vector<int64_t>{0, -1}), std::nullopt);
}

TEST(TensorView, refuses_an_empty_tensor_whose_strides_overflow) {
  EXPECT_EQ(element_count(std::vector<int64_t>{0, kMax, kMax}), std::nullopt);
  EXPECT_EQ(element_count(std::vector<int64_t>{kMax, kMax, 0}), std::nullopt);
}

RC_GTEST_PROP(TensorView, counts_like_a_wide_multiplication, ()) {
  const auto shape = *rc::gen::container<std::vector<int16_t>>(rc::gen::inRange<int16_t>(1, 5000));
  std::vector<int64_t> dimensions;
  long double product = 1;
  for (const int16_t dimension : shape) {
    dimensions.push_back(dimension);
    product *= dimension;
  }
  const std::optional<uint64_t> count = element_count(dimensions);
  // Up to 2^63 a long double of x86 is exact; elsewhere the comparison is only a little coarser.
  RC_ASSERT(count.has_value() == (product < 9223372036854775808.0L));
  if (count) RC_ASSERT(static_cast<long double>(*count) == product);
}

}  // namespace
}  // namespace eqm
