#include "eqm/kernel/dispatch.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/kernel/simd/instruction_set.h"

namespace eqm::kernel {
namespace {

constexpr const char* kVariable = "EQM_KERNELS";
constexpr const char* kPlain = "plain";

std::string wish() {
  const char* value = std::getenv(kVariable);
  return value == nullptr ? "" : value;
}

struct Choice {
  Path path = Path::fused;
  int64_t target = 0;  // 0: the best there is
};

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

// Nothing for a name that is unknown or cannot run here.
std::optional<Choice> choice_of(const std::string& name) {
  if (name.empty()) return Choice();
  if (normal_form(name) == kPlain) return Choice{.path = Path::plain};
  for (const int64_t target : simd::runnable_targets()) {
    if (normal_form(simd::target_name(target)) == normal_form(name)) {
      return Choice{.target = target};
    }
  }
  return std::nullopt;
}

thread_local Path path_of_thread = default_path();

}  // namespace

Path default_path() {
  static const Path path = [] {
    const Choice choice = choice_of(wish()).value_or(Choice());
    if (choice.target != 0) simd::force_target(choice.target);
    return choice.path;
  }();
  return path;
}

void settle_kernels() {
  if (choice_of(wish())) {
    default_path();
    return;
  }
  std::vector<std::string> names = {kPlain};
  for (const int64_t target : simd::runnable_targets()) names.push_back(simd::target_name(target));
  throw Error(ErrorKind::usage,
              fmt::format("{} is '{}', which is no choice here", kVariable, wish()),
              fmt::format("here it may be {}", fmt::join(names, ", ")));
}

std::string kernels_in_use() {
  return default_path() == Path::plain ? kPlain
                                       : simd::target_name(simd::runnable_targets().front());
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
