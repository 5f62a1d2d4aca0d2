#include "eqm/io/tensor_view.h"

#include <array>
#include <limits>

namespace eqm {
namespace {

struct DtypeFacts {
  Dtype dtype;
  std::string_view name;
  size_t size;
};

// In the order of the enumeration, so that the value is the index.
constexpr std::array kDtypes = {
    DtypeFacts{Dtype::boolean, "BOOL", 1},    DtypeFacts{Dtype::u8, "U8", 1},
    DtypeFacts{Dtype::i8, "I8", 1},           DtypeFacts{Dtype::f8_e5m2, "F8_E5M2", 1},
    DtypeFacts{Dtype::f8_e4m3, "F8_E4M3", 1}, DtypeFacts{Dtype::i16, "I16", 2},
    DtypeFacts{Dtype::u16, "U16", 2},         DtypeFacts{Dtype::f16, "F16", 2},
    DtypeFacts{Dtype::bf16, "BF16", 2},       DtypeFacts{Dtype::i32, "I32", 4},
    DtypeFacts{Dtype::u32, "U32", 4},         DtypeFacts{Dtype::f32, "F32", 4},
    DtypeFacts{Dtype::f64, "F64", 8},         DtypeFacts{Dtype::i64, "I64", 8},
    DtypeFacts{Dtype::u64, "U64", 8},
};

constexpr bool in_enumeration_order() {
  for (size_t i = 0; i < kDtypes.size(); ++i) {
    if (kDtypes[i].dtype != static_cast<Dtype>(i)) return false;
  }
  return true;
}
static_assert(in_enumeration_order());

constexpr uint64_t kLimit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());

}  // namespace

size_t size_of(Dtype dtype) {
  return kDtypes.at(static_cast<size_t>(dtype)).size;
}

std::string_view name_of(Dtype dtype) {
  return kDtypes.at(static_cast<size_t>(dtype)).name;
}

std::optional<Dtype> dtype_from_name(std::string_view name) {
  for (const DtypeFacts& facts : kDtypes) {
    if (facts.name == name) return facts.dtype;
  }
  return std::nullopt;
}

std::optional<uint64_t> element_count(std::span<const int64_t> shape) {
  uint64_t product = 1;
  bool empty = false;
  for (const int64_t dimension : shape) {
    if (dimension < 0) return std::nullopt;
    if (dimension == 0) {
      empty = true;
      continue;
    }
    if (product > kLimit / static_cast<uint64_t>(dimension)) return std::nullopt;
    product *= static_cast<uint64_t>(dimension);
  }
  return empty ? 0 : product;
}

std::optional<uint64_t> byte_count(Dtype dtype, std::span<const int64_t> shape) {
  const std::optional<uint64_t> count = element_count(shape);
  if (!count || *count > kLimit / size_of(dtype)) return std::nullopt;
  return *count * size_of(dtype);
}

}  // namespace eqm
