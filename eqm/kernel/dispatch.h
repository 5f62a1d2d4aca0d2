// Dispatch: whether an operator takes its fused path or its reference implementation, and on which
// instruction set.
#pragma once

#include <initializer_list>
#include <string>

#include "eqm/tensor/torch.h"

namespace eqm::kernel {

enum class Path {
  fused,
  // Only products are fused, whose gradients are products again. For graphs that will be
  // differentiated twice: the other operators would then have to compute their reference
  // implementations as well.
  products,
  plain
};

// The environment variable EQM_KERNELS chooses for a process: `plain` makes the reference
// implementations the default, an instruction set such as `AVX2` is what the kernels then run on.
Path default_path();

// Settles that choice; to be called before any kernel runs. Kind usage when EQM_KERNELS names
// nothing that runs here; unsettled, such a name counts as none.
void settle_kernels();

// "plain", or the instruction set, as "AVX2".
std::string kernels_in_use();

Path path();  // of this thread

// Sets the path of this thread while it lives. A graph that was built on one path is differentiated
// on it.
class PathScope {
 public:
  explicit PathScope(Path path);
  PathScope(const PathScope&) = delete;
  PathScope& operator=(const PathScope&) = delete;
  ~PathScope();

 private:
  Path before_;
};

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
