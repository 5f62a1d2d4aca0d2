// The three products a linear map needs. Each derivative of one is another, so that all may be
// differentiated any number of times on the fused path. Matrices: x [M, K], g [M, N], w [N, K].
#pragma once

#include "eqm/kernel/packed_weight.h"
#include "eqm/kernel/simd/gemm.h"
#include "eqm/tensor/torch.h"

namespace eqm::kernel {

// x w^T (+ bias): [M, N]. `packed` is of w; without it w is packed for this call.
Tensor gemm_nt(const Tensor& x, const Tensor& w, const Tensor& bias, PackedWeight* packed);
// g w: [M, K]
Tensor gemm_nn(const Tensor& g, const Tensor& w);
// g^T x: [N, K]
Tensor gemm_tn(const Tensor& g, const Tensor& x);

// What a linear map x w^T + bias hands back where g is the gradient of its result.
struct LinearGradients {
  Tensor x, weight, bias;  // undefined where not wanted
};
struct Wanted {
  bool x, weight, bias;
};
LinearGradients linear_gradients(const Tensor& g, const Tensor& x, const Tensor& w,
                                 const Wanted& wanted);

// x w^T and g w with what follows them, without a graph. All matrices have contiguous rows.
void run_gemm_nt(const Tensor& x, const Tensor& w, PackedWeight* packed,
                 const simd::Epilogue& epilogue);
void run_gemm_nn(const Tensor& g, const Tensor& w, const simd::Epilogue& epilogue);

// x [..., K] as a matrix with contiguous rows.
Tensor as_matrix(const Tensor& x);

}  // namespace eqm::kernel
