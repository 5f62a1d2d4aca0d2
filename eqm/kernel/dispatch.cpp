#include "eqm/kernel/dispatch.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/kernel/simd/instruction_set.h"

namespace eqm::kernel {
namespace {

constexpr const char* kVariable = "EQM_KERNELS";
constexpr const char* kPlain = "plain";

// "AVX-512", "avx512" and Highway's "AVX3" are one.
std::string normal_form(const std::string& name) {
  std::string result;
  for (const char c : name) {
    if (c != '-' && c != '_') {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return result == "avx3" ? "avx512" : result;
}

}  // namespace

Dispatch dispatch_named(const std::string& name) {
  if (name.empty()) return {};
  if (normal_form(name) == kPlain) return {.path = Path::plain};
  std::vector<std::string> names = {kPlain};
  for (const int64_t target : simd::runnable_targets()) {
    names.push_back(simd::target_name(target));
    if (normal_form(names.back()) == normal_form(name)) return {.instruction_set = target};
  }
  throw Error(ErrorKind::usage, fmt::format("there are no kernels '{}' here", name),
              fmt::format("here it may be {}", fmt::join(names, ", ")));
}

Dispatch dispatch_from_environment() {
  const char* value = std::getenv(kVariable);
  try {
    return dispatch_named(value == nullptr ? "" : value);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{} is '{}', which is no choice here", kVariable, value),
                error.hint());
  }
}

void dispatch_process(const Dispatch& dispatch) {
  set_process_path(dispatch.path);
  simd::force_target(dispatch.instruction_set);
}

std::string kernels_in_use() {
  return path() == Path::plain ? kPlain : simd::target_name(simd::runnable_targets().front());
}

bool fused_products(std::initializer_list<const Tensor*> tensors) {
  if (path() == Path::plain || autocast_on_cpu()) return false;
  return std::all_of(tensors.begin(), tensors.end(), [](const Tensor* t) {
    return !t->defined() ||
           (t->is_cpu() && t->scalar_type() == torch::kFloat32 && t->layout() == torch::kStrided);
  });
}

bool fused(std::initializer_list<const Tensor*> tensors) {
  return path() == Path::fused && fused_products(tensors);
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
