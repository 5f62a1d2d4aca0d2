#include "eqm/io/strided_view.h"

namespace eqm {

bool is_contiguous(const StridedView& view) {
  int64_t step = 1;
  for (size_t i = view.shape.size(); i-- > 0;) {
    if (view.shape[i] == 0) return true;
    if (view.shape[i] != 1 && view.strides[i] != step) return false;
    step *= view.shape[i];
  }
  return true;
}

StridedView strided(const TensorView& view) {
  StridedView result = {.dtype = view.dtype,
                        .shape = view.shape,
                        .strides = std::vector<int64_t>(view.shape.size()),
                        .bytes = view.bytes};
  int64_t step = 1;
  for (size_t i = view.shape.size(); i-- > 0;) {
    result.strides[i] = step;
    if (view.shape[i] != 0) step *= view.shape[i];
  }
  return result;
}

}  // namespace eqm
