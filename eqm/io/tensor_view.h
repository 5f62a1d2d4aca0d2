// A tensor as a file holds it: element type, shape, and the bytes, row-major and little-endian. The
// view owns nothing: whoever owns the bytes (a mapping, a vector) must outlive it. The bytes may
// start at any address, so alignment for the element type is not guaranteed; copy, or check before
// casting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace eqm {

// Every element type of safetensors, in that library's order, which is also that of growing
// alignment.
enum class Dtype {
  boolean,
  u8,
  i8,
  f8_e5m2,
  f8_e4m3,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  f64,
  i64,
  u64,
};

// Bytes per element.
size_t size_of(Dtype dtype);

// The name safetensors gives it, such as "F32".
std::string_view name_of(Dtype dtype);

std::optional<Dtype> dtype_from_name(std::string_view name);

struct TensorView {
  Dtype dtype = Dtype::f32;
  std::vector<int64_t> shape;  // empty for a scalar
  std::span<const std::byte> bytes;
};

// The product of the dimensions, 1 for a scalar. Nothing when a dimension is negative or the
// product of the non-zero ones passes 2^63 - 1: strides are such products, so they must fit even in
// an empty tensor.
std::optional<uint64_t> element_count(std::span<const int64_t> shape);

// element_count in bytes, under the same limit.
std::optional<uint64_t> byte_count(Dtype dtype, std::span<const int64_t> shape);

// One element of bytes that may lie anywhere.
template <class Number>
Number number_at(std::span<const std::byte> bytes, size_t index) {
  Number number;
  std::memcpy(&number, bytes.data() + index * sizeof(Number), sizeof(Number));
  return number;
}

}  // namespace eqm
