#include "eqm/backbone/initialise.h"

#include <cmath>

#include "eqm/base/draws.h"
#include "eqm/tensor/noise_tensor.h"

namespace eqm {
namespace {

void put(std::vector<double>& values, const Tensor& parameter) {
  const torch::NoGradGuard guard;
  parameter.copy_(torch::from_blob(values.data(), parameter.sizes(), torch::kFloat64));
}

}  // namespace

void Initialiser::normal(const Tensor& parameter, double deviation) {
  std::vector<double> values(static_cast<size_t>(parameter.numel()));
  fill_normal({.seed = seed_, .sample = stream_++, .draw = draw_weights}, values);
  for (double& value : values) value *= deviation;
  put(values, parameter);
}

void Initialiser::uniform(const Tensor& parameter, double bound) {
  std::vector<double> values(static_cast<size_t>(parameter.numel()));
  fill_uniform({.seed = seed_, .sample = stream_++, .draw = draw_weights}, values);
  for (double& value : values) value = (value * 2 - 1) * bound;
  put(values, parameter);
}

void Initialiser::xavier(const Tensor& weight) {
  const auto rows = static_cast<double>(weight.size(0));
  const auto columns = static_cast<double>(weight.numel()) / rows;
  uniform(weight, std::sqrt(6.0 / (rows + columns)));
}

}  // namespace eqm
