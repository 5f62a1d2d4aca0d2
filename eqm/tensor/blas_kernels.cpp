#include "eqm/tensor/blas_kernels.h"

#include <cstdlib>

#include <unistd.h>

#include "eqm/base/blas_core.h"
#include "eqm/tensor/machine.h"

namespace eqm {

void restart_with_fitting_blas_kernels(char** argv) {
  if (loaded_blas().kernels != kFallbackBlasCore || std::getenv(kBlasCoreVariable)) return;
  const char* core = fitting_blas_core();
  if (!core || setenv(kBlasCoreVariable, core, 1) != 0) return;
  execv("/proc/self/exe", argv);  // on failure we continue slowly; `eqm doctor` shows it
}

}  // namespace eqm
