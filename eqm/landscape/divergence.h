// The divergence of a field, Σ_i ∂f_i/∂x_i, by vector-Jacobian products: v·(∂f/∂x)v for every unit
// vector and added up, or for random signs v and averaged (Hutchinson's estimate), whose mean over
// v is the same.
#pragma once

#include <functional>

#include "eqm/landscape/model.h"

namespace eqm {

// A field that autograd can differentiate by x: [B, ...] and conditions of its rows to the same
// shape.
using DifferentiableField = std::function<Tensor(const Tensor& x, const Condition& condition)>;

// The gradient of a model, of which the field must live as long. Kind usage for explicit energies,
// whose gradient is a derivative already.
DifferentiableField differentiable(const LearnedField& field);

struct FieldAndDivergence {
  Tensor value;       // f(x), like x
  Tensor divergence;  // [B], float64
};

// Costs as many evaluations, with their derivatives, as a state has numbers.
FieldAndDivergence exact_divergence(const DifferentiableField& field, const Tensor& x,
                                    const Condition& condition);

// The mean over probes [k, B, ...] of v·(∂f/∂x)v, unbiased where their elements are independent
// signs; k evaluations.
FieldAndDivergence estimated_divergence(const DifferentiableField& field, const Tensor& x,
                                        const Condition& condition, const Tensor& probes);

}  // namespace eqm
