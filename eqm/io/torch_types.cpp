#include "eqm/io/torch_types.h"

namespace eqm {
namespace {

struct TorchType {
  Dtype dtype;
  std::string_view type;     // torch.float32
  std::string_view storage;  // torch.FloatStorage; empty for types younger than storage classes
};

constexpr TorchType kTypes[] = {
    {Dtype::f32, "float32", "FloatStorage"},
    {Dtype::f64, "float64", "DoubleStorage"},
    {Dtype::f16, "float16", "HalfStorage"},
    {Dtype::bf16, "bfloat16", "BFloat16Storage"},
    {Dtype::i64, "int64", "LongStorage"},
    {Dtype::i32, "int32", "IntStorage"},
    {Dtype::i16, "int16", "ShortStorage"},
    {Dtype::i8, "int8", "CharStorage"},
    {Dtype::u8, "uint8", "ByteStorage"},
    {Dtype::boolean, "bool", "BoolStorage"},
    {Dtype::u16, "uint16", ""},
    {Dtype::u32, "uint32", ""},
    {Dtype::u64, "uint64", ""},
    {Dtype::f8_e4m3, "float8_e4m3fn", ""},
    {Dtype::f8_e5m2, "float8_e5m2", ""},
};

}  // namespace

std::optional<Dtype> dtype_of_storage_class(const PickleValue& value) {
  for (const TorchType& entry : kTypes) {
    if (entry.storage.empty()) continue;
    for (const char* module : {"torch", "torch.cuda"}) {
      if (value.is_global(module, entry.storage)) return entry.dtype;
    }
  }
  return std::nullopt;
}

std::string_view storage_class_of(Dtype dtype) {
  for (const TorchType& entry : kTypes) {
    if (entry.dtype == dtype) return entry.storage;
  }
  return "";
}

std::optional<Dtype> dtype_of_torch_type(const PickleValue& value) {
  for (const TorchType& entry : kTypes) {
    if (value.is_global("torch", entry.type)) return entry.dtype;
  }
  return std::nullopt;
}

bool is_untyped_storage_class(const PickleValue& value) {
  return value.is_global("torch.storage", "UntypedStorage") ||
         value.is_global("torch", "UntypedStorage");
}

}  // namespace eqm
