// Fused operators in float32 against their reference implementations in float64, on every
// instruction set: values, gradients and second derivatives, over sizes that fit no vector and
// storage that fits no alignment.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "eqm/tensor/torch.h"

namespace eqm::test {

// Measured: 3e-6 at worst over these sizes (an e^x of scores near 20); products alone stay below
// 5e-7.
inline constexpr double kClose = 1e-5;

using Tensors = std::vector<Tensor>;
using Operator = std::function<Tensor(const Tensors&)>;

// Copies that ask for gradients.
Tensors leaves(const Tensors& values, const std::function<Tensor(const Tensor&)>& place);

struct Derivatives {
  Tensor value;
  Tensors first, second;  // of a weighted sum of the values; of a weighted sum of the gradients
};

Derivatives derivatives(const Operator& f, const Tensors& inputs, bool twice);

void expect_matches_reference(const Operator& fused, const Operator& plain, const Tensors& inputs,
                              const std::string& trace);

struct Sizes {
  int64_t batch, tokens, width;
};
// One of everything; odd ones; more rows than a tile; more columns than a tile; exact multiples.
inline constexpr Sizes kSizes[] = {{1, 1, 1},   {2, 3, 5},   {1, 13, 33}, {3, 7, 13},
                                   {2, 29, 48}, {1, 40, 64}, {5, 1, 31}};

std::string text(const Sizes& sizes);

}  // namespace eqm::test
