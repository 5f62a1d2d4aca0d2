#include "eqm/landscape/scaling.h"

#include "eqm/base/error.h"

namespace eqm {
namespace {

// The centre, shaped to be subtracted from rows [B, C, ...].
Tensor centre_for(const std::vector<double>& centre, const Tensor& rows) {
  if (centre.size() != 1 &&
      (rows.dim() < 2 || static_cast<int64_t>(centre.size()) != rows.size(1))) {
    throw Error(ErrorKind::usage, "the scaling has another number of channels than the states",
                "use data with the channels that the model was trained on");
  }
  Shape shape(static_cast<size_t>(rows.dim()), 1);
  if (centre.size() > 1) shape[1] = rows.size(1);
  return torch::tensor(centre, torch::kFloat64).to(rows.options()).reshape(shape);
}

}  // namespace

Tensor Scaling::to_states(const Tensor& values) const {
  const Tensor real = values.is_floating_point() ? values : values.to(torch::kFloat32);
  return (real - centre_for(centre, real)).div_(unit);
}

Tensor Scaling::to_values(const Tensor& states) const {
  return (states * unit).add_(centre_for(centre, states));
}

}  // namespace eqm
