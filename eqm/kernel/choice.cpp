#include "eqm/kernel/choice.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace eqm::kernel {
namespace {

thread_local Path path_of_thread = default_path();

}  // namespace

Path default_path() {
  static const Path path = [] {
    const char* value = std::getenv("EQM_KERNELS");
    return value && std::string_view(value) == "plain" ? Path::plain : Path::fused;
  }();
  return path;
}

Path path() {
  return path_of_thread;
}

PathScope::PathScope(Path path) : before_(path_of_thread) {
  path_of_thread = path;
}

PathScope::~PathScope() {
  path_of_thread = before_;
}

bool fused_products(std::initializer_list<const Tensor*> tensors) {
  if (path_of_thread == Path::plain || autocast_on_cpu()) return false;
  return std::all_of(tensors.begin(), tensors.end(), [](const Tensor* t) {
    return !t->defined() ||
           (t->is_cpu() && t->scalar_type() == torch::kFloat32 && t->layout() == torch::kStrided);
  });
}

bool fused(std::initializer_list<const Tensor*> tensors) {
  return path_of_thread == Path::fused && fused_products(tensors);
}

bool rows_are_contiguous(const Tensor& matrix) {
  return matrix.dim() == 2 && (matrix.stride(1) == 1 || matrix.size(1) == 1);
}

bool needs_graph(std::initializer_list<const Tensor*> tensors) {
  if (!torch::GradMode::is_enabled()) return false;
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const Tensor* t) { return t->defined() && t->requires_grad(); });
}

}  // namespace eqm::kernel
