// g^T x, the gradient of a weight: the product whose depth is the rows of both factors.
#pragma once

#include "eqm/tensor/torch.h"

namespace eqm::kernel {

// g [M, N], x [M, K], their rows contiguous -> [N, K], on all threads and without a graph. The sums
// of the columns of g are added to `sums` [N], if that is not null.
Tensor run_gemm_tn(const Tensor& g, const Tensor& x, float* sums);

}  // namespace eqm::kernel
