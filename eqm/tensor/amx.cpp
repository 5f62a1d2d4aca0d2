#include "eqm/tensor/amx.h"

#include <cstdlib>

#include <dlfcn.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace eqm {
namespace {

constexpr const char* kOnednnVariable = "ONEDNN_MAX_CPU_ISA";

bool processor_has_amx() {
#if defined(__x86_64__)
  constexpr unsigned kFeatures = 7, kAmxTile = 1U << 24;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(kFeatures, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kAmxTile) != 0;
#else
  return false;
#endif
}

}  // namespace

void keep_old_onednn_from_amx() {
  if (onednn_dies_of_amx()) setenv(kOnednnVariable, "AVX512_CORE_BF16", /*overwrite=*/0);
}

bool onednn_dies_of_amx() {
  if (!processor_has_amx() || std::getenv(kOnednnVariable)) return false;
  void* old = dlopen("libdnnl.so.2", RTLD_LAZY | RTLD_NOLOAD);  // null where it is not loaded
  if (!old) return false;
  dlclose(old);
  return true;
}

}  // namespace eqm
