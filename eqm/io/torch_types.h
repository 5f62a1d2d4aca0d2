// What PyTorch calls its element types.
#pragma once

#include <optional>
#include <string_view>

#include "eqm/io/pickle.h"
#include "eqm/io/tensor_view.h"

namespace eqm {

// "torch.FloatStorage" and its kind; nothing for other globals.
std::optional<Dtype> dtype_of_storage_class(const PickleValue& value);

// "FloatStorage" and its kind; empty for types that have no class.
std::string_view storage_class_of(Dtype dtype);

// "torch.float32" and its kind.
std::optional<Dtype> dtype_of_torch_type(const PickleValue& value);

// Storages counted in bytes.
bool is_untyped_storage_class(const PickleValue& value);

}  // namespace eqm
