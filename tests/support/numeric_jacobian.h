// Derivatives by autograd against derivatives by central differences, for any function of a float64
// tensor.
#pragma once

#include <functional>

#include <gtest/gtest.h>

#include "eqm/tensor/torch.h"

namespace eqm::test {

using TensorFunction = std::function<Tensor(const Tensor&)>;

// Fourth-order differences with a step of 1e-3 agree with smooth analytic derivatives to about
// 1e-11.
inline constexpr double kDerivativeTolerance = 1e-8;

// d(outputs)/d(inputs): [f(x).numel(), x.numel()]
Tensor analytic_jacobian(const TensorFunction& f, const Tensor& x);
Tensor numeric_jacobian(const TensorFunction& f, const Tensor& x);

// First derivatives agree, relative to the largest entry.
::testing::AssertionResult derivatives_agree(const TensorFunction& f, const Tensor& x,
                                             double limit = kDerivativeTolerance);

// Second derivatives agree: the Jacobian of the gradient of a fixed weighted sum of the outputs.
::testing::AssertionResult second_derivatives_agree(const TensorFunction& f, const Tensor& x,
                                                    double limit = kDerivativeTolerance);

// d/dh value() at variable + h * direction; the variable is moved in place and put back.
double numeric_derivative_along(const std::function<double()>& value, const Tensor& variable,
                                const Tensor& direction);

}  // namespace eqm::test
