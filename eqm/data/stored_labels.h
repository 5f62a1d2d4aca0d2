// Labels as files of tensors and arrays hold them: whole numbers of any type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eqm/io/tensor_view.h"

namespace eqm {

// Labels are integers below this; a larger one is damage, not a class.
inline constexpr int64_t kMaxClasses = int64_t{1} << 20;

// One for each of `count` examples. Kind input, naming `file`, for anything else.
std::vector<int64_t> stored_labels(const TensorView& tensor, int64_t count,
                                   const std::string& file);

}  // namespace eqm
