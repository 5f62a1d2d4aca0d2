// Tensors of a PyTorch file: from the calls in its pickle that would rebuild them.
#include <limits>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/safetensors_header.h"
#include "eqm/io/text.h"
#include "eqm/io/torch_file.h"
#include "eqm/io/torch_types.h"

namespace eqm {
namespace {

constexpr std::string_view kUtils = "torch._utils";

std::optional<std::vector<int64_t>> whole_numbers(const PickleValue& value) {
  if (!value.is(PickleKind::tuple) && !value.is(PickleKind::list)) return std::nullopt;
  if (value.size() > kMaxTensorRank) return std::nullopt;
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < value.size(); ++i) {
    const auto number = value.at(i).integer();
    if (!number || *number < 0) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<uint64_t> count_from(const PickleValue& value) {
  const auto number = value.integer();
  if (!number || *number < 0) return std::nullopt;
  return static_cast<uint64_t>(*number);
}

// How far the farthest element is from the first; nothing when that cannot be counted.
std::optional<uint64_t> reach(const std::vector<int64_t>& shape,
                              const std::vector<int64_t>& strides) {
  uint64_t farthest = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto steps = static_cast<uint64_t>(shape[i] - 1),
               step = static_cast<uint64_t>(strides[i]);
    if (step != 0 && steps > (std::numeric_limits<uint64_t>::max() - farthest) / step) {
      return std::nullopt;
    }
    farthest += steps * step;
  }
  return farthest;
}

}  // namespace

std::optional<TorchTensor> TorchFile::tensor(const PickleValue& value) const {
  PickleValue call = value;
  // Wrappers, each around the next: parameters, and tensors of classes derived from Tensor.
  constexpr int kMostWrappers = 4;
  for (int depth = 0; depth < kMostWrappers; ++depth) {
    if (!call.is(PickleKind::object)) return std::nullopt;
    const PickleValue called = *call.subject(), arguments = *call.arguments();
    if (called.is_global(kUtils, "_rebuild_tensor") ||
        called.is_global(kUtils, "_rebuild_tensor_v2")) {
      return make_tensor(arguments, std::nullopt);
    }
    if (called.is_global(kUtils, "_rebuild_tensor_v3")) {
      constexpr size_t kTypeArgument = 6;
      if (arguments.size() <= kTypeArgument) refuse("a tensor in it lacks its type");
      const auto dtype = dtype_of_torch_type(arguments.at(kTypeArgument));
      if (!dtype) {
        refuse("a tensor in it has the unknown type " + described(arguments.at(kTypeArgument)));
      }
      return make_tensor(arguments, dtype);
    }
    if (called.is_global("torch._tensor", "_rebuild_from_type_v2") && arguments.size() >= 3) {
      if (!arguments.at(0).is_global(kUtils, "_rebuild_tensor_v2")) return std::nullopt;
      return make_tensor(arguments.at(2), std::nullopt);
    }
    const bool is_parameter = called.is_global(kUtils, "_rebuild_parameter") ||
                              called.is_global(kUtils, "_rebuild_parameter_with_state");
    if (!is_parameter || arguments.size() == 0) return std::nullopt;
    call = arguments.at(0);
  }
  return std::nullopt;
}

// ("storage", class, key, place, elements), and in old files a sixth: nothing, or a window on it as
// (key, begin, elements).
TorchFile::StorageReference TorchFile::storage_reference(const PickleValue& value) const {
  const auto broken = [this]() { refuse("a reference to a storage in it is broken"); };
  const auto fields = value.subject();
  if (!fields || !fields->is(PickleKind::tuple) || fields->size() < 5) broken();
  const auto key = fields->at(2).text();
  const auto size = count_from(fields->at(4));
  if (fields->at(0).text() != "storage" || !key || !size) broken();
  StorageReference reference = {.key = std::string(*key),
                                .dtype = dtype_of_storage_class(fields->at(1)),
                                .size = *size,
                                .begin = 0,
                                .window = *size};
  if (!reference.dtype && !is_untyped_storage_class(fields->at(1))) {
    refuse("a storage in it has the unknown type " + described(fields->at(1)));
  }
  if (fields->size() > 5 && fields->at(5).is(PickleKind::tuple)) {
    const PickleValue window = fields->at(5);
    if (window.size() != 3) broken();
    const auto begin = count_from(window.at(1)), count = count_from(window.at(2));
    if (!begin || !count || *begin > *size || *count > *size - *begin) broken();
    reference.begin = *begin;
    reference.window = *count;
  }
  return reference;
}

const TorchFile::Storage& TorchFile::find_storage(const StorageReference& reference,
                                                  size_t element) const {
  const auto found = storages_.find(reference.key);
  if (found == storages_.end()) {
    refuse(fmt::format("its storage {} is missing", in_quotes(reference.key)));
  }
  const uint64_t bytes = found->second.bytes.size();
  // Untyped storages are counted in bytes.
  const uint64_t unit = reference.dtype ? element : 1;
  if (bytes % unit != 0 || reference.size != bytes / unit) {
    refuse(fmt::format("its storage {} has {} bytes where {} elements of {} are declared",
                       in_quotes(reference.key), bytes, reference.size, unit));
  }
  return found->second;
}

// (storage, offset, shape, strides, ...)
TorchTensor TorchFile::make_tensor(const PickleValue& arguments, std::optional<Dtype> type) const {
  if (!arguments.is(PickleKind::tuple) || arguments.size() < 4 ||
      !arguments.at(0).is(PickleKind::persistent)) {
    refuse("a tensor in it has no storage");
  }
  const StorageReference reference = storage_reference(arguments.at(0));
  const std::string name = in_quotes(reference.key);
  if (!type) type = reference.dtype;
  if (!type) refuse(fmt::format("the tensor on its storage {} has no type", name));
  const size_t element = size_of(*type);
  if (reference.dtype && size_of(*reference.dtype) != element) {
    refuse(fmt::format("the tensor on its storage {} has another type", name));
  }
  const Storage& storage = find_storage(reference, element);
  const auto offset = count_from(arguments.at(1));
  auto shape = whole_numbers(arguments.at(2)), strides = whole_numbers(arguments.at(3));
  if (!offset || !shape || !strides || shape->size() != strides->size()) {
    refuse(fmt::format("the tensor on its storage {} has no sensible shape", name));
  }
  const auto count = element_count(*shape);
  const uint64_t available = reference.dtype ? reference.window : reference.window / element;
  std::span<const std::byte> bytes;
  if (count != uint64_t{0}) {
    // A tensor of more elements than its storage repeats them, without limit.
    const auto farthest = count && *count <= available ? reach(*shape, *strides) : std::nullopt;
    if (!farthest || *offset >= available || *farthest >= available - *offset) {
      refuse(fmt::format("the tensor on its storage {} reaches beyond it", name));
    }
    const uint64_t unit = reference.dtype ? element : 1;
    bytes = storage.bytes.subspan(reference.begin * unit + *offset * element,
                                  (*farthest + 1) * element);
  }
  return {.view = {.dtype = *type, .shape = *shape, .strides = *strides, .bytes = bytes},
          .storage = reference.key};
}

}  // namespace eqm
