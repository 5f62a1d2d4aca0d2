#include "tests/support/numeric_jacobian.h"

#include <torch/autograd.h>

#include "eqm/tensor/noise_tensor.h"
#include "tests/support/golden.h"

namespace eqm::test {
namespace {

constexpr double kStep = 1e-3;

// The fourth-order central difference of g at 0.
template <class Function>
auto difference(const Function& g) {
  return (8 * (g(kStep) - g(-kStep)) - (g(2 * kStep) - g(-2 * kStep))) / (12 * kStep);
}

}  // namespace

Tensor analytic_jacobian(const TensorFunction& f, const Tensor& x) {
  const Tensor point = x.detach().clone().requires_grad_(true);
  const Tensor outputs = f(point).flatten();
  std::vector<Tensor> rows;
  for (int64_t i = 0; i < outputs.numel(); ++i) {
    const Tensor row = torch::autograd::grad({outputs[i]}, {point}, {}, /*retain_graph=*/true,
                                             /*create_graph=*/false, /*allow_unused=*/true)[0];
    rows.push_back(row.defined() ? row.flatten() : torch::zeros({x.numel()}, x.options()));
  }
  return torch::stack(rows);
}

Tensor numeric_jacobian(const TensorFunction& f, const Tensor& x) {
  std::vector<Tensor> columns;
  for (int64_t j = 0; j < x.numel(); ++j) {
    columns.push_back(difference([&](double h) {
      const Tensor moved = x.detach().clone().contiguous();
      moved.view({-1})[j] += h;
      return Tensor(f(moved).detach().flatten());
    }));
  }
  return torch::stack(columns, 1);
}

::testing::AssertionResult derivatives_agree(const TensorFunction& f, const Tensor& x,
                                             double limit) {
  const Tensor numeric = numeric_jacobian(f, x);
  if (numeric.abs().max().item<double>() == 0) {
    return ::testing::AssertionFailure() << "the function does not depend on its input";
  }
  return close(analytic_jacobian(f, x), numeric, limit);
}

::testing::AssertionResult second_derivatives_agree(const TensorFunction& f, const Tensor& x,
                                                    double limit) {
  const TensorFunction gradient = [&](const Tensor& point) {
    const Tensor at = point.requires_grad() ? point : point.detach().clone().requires_grad_(true);
    const Tensor outputs = f(at);
    const Tensor weights =
        normal_rows({.seed = 0x7765}, 1, outputs.sizes().vec(), torch::kFloat64)[0];
    return torch::autograd::grad({(outputs * weights).sum()}, {at}, {}, true,
                                 /*create_graph=*/true)[0];
  };
  return derivatives_agree(gradient, x, limit);
}

double numeric_derivative_along(const std::function<double()>& value, const Tensor& variable,
                                const Tensor& direction) {
  const torch::NoGradGuard guard;
  const Tensor original = variable.detach().clone();
  const double slope = difference([&](double h) {
    variable.copy_(original + h * direction);
    return value();
  });
  variable.copy_(original);
  return slope;
}

}  // namespace eqm::test
