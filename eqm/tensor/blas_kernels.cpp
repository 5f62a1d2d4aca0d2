#include "eqm/tensor/blas_kernels.h"

#include <cstdlib>

#include <unistd.h>

#include "eqm/tensor/machine.h"

namespace eqm {
namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";

const char* fitting_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return "SkylakeX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

}  // namespace

void restart_with_fitting_blas_kernels(char** argv) {
  if (loaded_blas().kernels != "Prescott" || std::getenv(kVariable)) return;
  const char* kernels = fitting_kernels();
  if (!kernels || setenv(kVariable, kernels, 1) != 0) return;
  execv("/proc/self/exe", argv);  // on failure we go on slowly; `eqm doctor` tells
}

}  // namespace eqm
