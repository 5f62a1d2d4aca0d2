// The choice between an operator's fused path and its plain twin.
#pragma once

#include <initializer_list>

#include "eqm/tensor/torch.h"

namespace eqm::kernel {

enum class Path { fused, plain };

// The environment variable EQM_KERNELS=plain makes the plain twins the default of a process.
Path default_path();

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

// Whether the fused path is wanted and can serve these tensors: float32 on the CPU, without
// autocast. Undefined tensors do not matter.
bool fused(std::initializer_list<const Tensor*> tensors);

// A matrix whose rows are contiguous, whatever lies between them.
bool rows_are_contiguous(const Tensor& matrix);

// Whether a derivative is wanted of what is computed from these tensors.
bool needs_graph(std::initializer_list<const Tensor*> tensors);

}  // namespace eqm::kernel
