// The bridge between plain views of bytes (eqm/io) and tensors, without copying where that is safe.
#pragma once

#include <memory>

#include "eqm/io/safetensors.h"
#include "eqm/io/strided_view.h"
#include "eqm/io/tensor_view.h"
#include "eqm/tensor/torch.h"

namespace eqm {

// A tensor on the view's memory; it keeps `owner` alive. Misaligned memory is copied. The memory
// may be mapped read-only: never write into the result.
Tensor to_tensor(const TensorView& view, std::shared_ptr<const void> owner);

// The same for elements that do not lie in order.
Tensor to_tensor(const StridedView& view, std::shared_ptr<const void> owner);

// Element types of files and of tensors; an input error for types that LibTorch has not.
torch::ScalarType scalar_type(Dtype dtype);
Dtype file_dtype(torch::ScalarType type);

// The named tensor of a file, on the file's mapping.
Tensor read_tensor(const SafetensorsFile& file, const std::string& name);

// A view of a contiguous CPU tensor's memory; valid while the tensor lives.
TensorView to_view(const Tensor& tensor);

}  // namespace eqm
