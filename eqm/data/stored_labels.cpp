#include "eqm/data/stored_labels.h"

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

// Nothing for a type that is not of whole numbers.
std::optional<int64_t> integer_at(const TensorView& tensor, size_t index) {
  switch (tensor.dtype) {
    case Dtype::u8:
      return number_at<uint8_t>(tensor.bytes, index);
    case Dtype::i8:
      return number_at<int8_t>(tensor.bytes, index);
    case Dtype::u16:
      return number_at<uint16_t>(tensor.bytes, index);
    case Dtype::i16:
      return number_at<int16_t>(tensor.bytes, index);
    case Dtype::u32:
      return number_at<uint32_t>(tensor.bytes, index);
    case Dtype::i32:
      return number_at<int32_t>(tensor.bytes, index);
    case Dtype::u64:  // what passes 2^63 becomes negative and is refused as such
    case Dtype::i64:
      return number_at<int64_t>(tensor.bytes, index);
    default:
      return std::nullopt;
  }
}

[[noreturn]] void refuse_labels(const std::string& file, std::string_view problem) {
  throw Error(ErrorKind::input, fmt::format("{} {}", in_quotes(file), problem),
              "labels are whole numbers from 0, one for each example");
}

}  // namespace

std::vector<int64_t> stored_labels(const TensorView& tensor, int64_t count,
                                   const std::string& file) {
  if (tensor.shape != std::vector<int64_t>{count}) {
    refuse_labels(file, fmt::format("does not have one label for each of its {} examples", count));
  }
  std::vector<int64_t> labels;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const std::optional<int64_t> label = integer_at(tensor, i);
    if (!label) refuse_labels(file, fmt::format("has labels of type {}", name_of(tensor.dtype)));
    if (*label < 0 || *label >= kMaxClasses) {
      refuse_labels(file, fmt::format("gives example {} the label {}", i, *label));
    }
    labels.push_back(*label);
  }
  return labels;
}

}  // namespace eqm
