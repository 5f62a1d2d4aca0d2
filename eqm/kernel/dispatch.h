// Dispatch: whether an operator takes its fused path or its reference implementation, and on which
// instruction set. The path is a matter of a thread's work (PathScope, RuntimeScope); the
// instruction set is one for the process, the best there is until dispatch_process() is called.
#pragma once

#include <initializer_list>
#include <string>

#include "eqm/tensor/kernel_path.h"
#include "eqm/tensor/torch.h"

namespace eqm::kernel {

struct Dispatch {
  Path path = Path::fused;
  int64_t instruction_set = 0;  // one of simd::runnable_targets(); 0: the best there is
};

// By name: empty for the best there is, "plain" for the reference implementations, or an
// instruction set such as "AVX2". A usage error lists those that run here.
Dispatch dispatch_named(const std::string& name);

// What the environment variable EQM_KERNELS names.
Dispatch dispatch_from_environment();

// Makes it the whole process's. For whoever owns the process, before any kernel runs.
void dispatch_process(const Dispatch& dispatch);

// What a thread without a scope of its own runs on: "plain", or the instruction set, as "AVX2".
std::string kernels_in_use();

// Whether fused products are wanted and can serve these tensors: float32 on the CPU, without
// autocast. Undefined tensors do not matter.
bool fused_products(std::initializer_list<const Tensor*> tensors);
// The same for all other operators.
bool fused(std::initializer_list<const Tensor*> tensors);

// A matrix whose rows are contiguous, whatever lies between them.
bool rows_are_contiguous(const Tensor& matrix);

// Whether a derivative is wanted of what is computed from these tensors.
bool needs_graph(std::initializer_list<const Tensor*> tensors);

}  // namespace eqm::kernel
