#include "cli/start/environment.h"

#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <unistd.h>

#include "eqm/base/blas_core.h"

namespace eqm::cli {
namespace {

constexpr const char* kSpins = "3000";

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// Of the BLAS that the program is linked to; null where it is unknown or no OpenBLAS.
const char* core_of_blas() {
  if (*EQM_BLAS_FILE == '\0') return nullptr;
  void* blas = dlopen(EQM_BLAS_FILE, RTLD_NOW);  // stays loaded, for LibTorch
  if (blas == nullptr) return nullptr;
  using CoreName = const char* (*)();
  const CoreName core_name = reinterpret_cast<CoreName>(dlsym(blas, "openblas_get_corename"));
  return core_name ? core_name() : nullptr;
}

}  // namespace

void set_environment() {
  if (is_set("OMP_WAIT_POLICY") || is_set("GOMP_SPINCOUNT")) return;
  setenv("GOMP_SPINCOUNT", kSpins, /*overwrite=*/1);
}

void choose_blas_kernels(char** argv) {
  if (std::getenv(kBlasCoreVariable)) return;
  const char* fitting = fitting_blas_core();
  const char* core = fitting ? core_of_blas() : nullptr;
  if (core == nullptr || std::strcmp(core, kFallbackBlasCore) != 0) return;
  if (setenv(kBlasCoreVariable, fitting, /*overwrite=*/1) != 0) return;
  execv("/proc/self/exe", argv);  // on failure we go on slowly; `eqm doctor` shows it
}

}  // namespace eqm::cli
