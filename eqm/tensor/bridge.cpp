#include "eqm/tensor/bridge.h"

#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

struct DtypePair {
  Dtype file;
  torch::ScalarType tensor;
};

constexpr DtypePair kDtypes[] = {
    {Dtype::f64, torch::kFloat64},   {Dtype::f32, torch::kFloat32}, {Dtype::f16, torch::kFloat16},
    {Dtype::bf16, torch::kBFloat16}, {Dtype::i64, torch::kInt64},   {Dtype::i32, torch::kInt32},
    {Dtype::i16, torch::kInt16},     {Dtype::i8, torch::kInt8},     {Dtype::u8, torch::kUInt8},
    {Dtype::boolean, torch::kBool},
};

}  // namespace

torch::ScalarType scalar_type(Dtype dtype) {
  for (const DtypePair& pair : kDtypes) {
    if (pair.file == dtype) return pair.tensor;
  }
  throw Error(ErrorKind::input, fmt::format("tensors of type {} are not supported", name_of(dtype)),
              "convert the file to float32");
}

Dtype file_dtype(torch::ScalarType type) {
  for (const DtypePair& pair : kDtypes) {
    if (pair.tensor == type) return pair.file;
  }
  throw Error(ErrorKind::internal,
              fmt::format("a {} tensor cannot be written to a file", torch::toString(type)));
}

Tensor to_tensor(const TensorView& view, std::shared_ptr<const void> owner) {
  const auto options = torch::TensorOptions().dtype(scalar_type(view.dtype));
  if (view.bytes.empty()) return torch::empty(view.shape, options);
  // from_blob wants a mutable pointer; the header forbids writing.
  void* data = const_cast<std::byte*>(view.bytes.data());
  const bool aligned = reinterpret_cast<uintptr_t>(data) % size_of(view.dtype) == 0;
  if (!aligned) {
    const Tensor copy = torch::empty(view.shape, options);
    std::memcpy(copy.data_ptr(), data, view.bytes.size());
    return copy;
  }
  return torch::from_blob(
      data, view.shape, [owner = std::move(owner)](void*) {}, options);
}

Tensor to_tensor(const StridedView& view, std::shared_ptr<const void> owner) {
  if (view.bytes.empty() || is_contiguous(view)) {
    return to_tensor(TensorView{view.dtype, view.shape, view.bytes}, std::move(owner));
  }
  const auto count = static_cast<int64_t>(view.bytes.size() / size_of(view.dtype));
  return to_tensor(TensorView{view.dtype, {count}, view.bytes}, std::move(owner))
      .as_strided(view.shape, view.strides);
}

Tensor read_tensor(const SafetensorsFile& file, const std::string& name) {
  return to_tensor(file.at(name), file.mapping());
}

TensorView to_view(const Tensor& tensor) {
  if (!tensor.is_contiguous() || !tensor.device().is_cpu()) {
    throw Error(ErrorKind::internal, "only a contiguous CPU tensor can be viewed as bytes");
  }
  return {.dtype = file_dtype(tensor.scalar_type()),
          .shape = tensor.sizes().vec(),
          .bytes = {static_cast<const std::byte*>(tensor.data_ptr()), tensor.nbytes()}};
}

}  // namespace eqm
