// Which of OpenBLAS's kernel sets fits this processor, from its instruction sets. Header-only: the
// small executable that starts the program asks before any library is loaded.
#pragma once

namespace eqm {

// What OpenBLAS reads its kernel set from, once, while it is being loaded.
inline constexpr const char* kBlasCoreVariable = "OPENBLAS_CORETYPE";

// The set that OpenBLAS falls back to for a processor it does not know: kernels from 2004.
inline constexpr const char* kFallbackBlasCore = "Prescott";

// A value for OPENBLAS_CORETYPE; null where the fallback is as good as anything.
inline const char* fitting_blas_core() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return "SkylakeX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

}  // namespace eqm
