#include "eqm/tensor/openmp.h"

#include <algorithm>
#include <limits>

#include <ATen/Parallel.h>

#include "eqm/tensor/loaded_symbol.h"

namespace eqm {

int64_t openmp_thread_limit() {
  auto* limit = loaded_symbol<int()>("omp_get_thread_limit");
  return limit ? std::max(1, limit()) : std::numeric_limits<int64_t>::max();
}

void grant_openmp_teams() {
  if (auto* set_dynamic = loaded_symbol<void(int)>("omp_set_dynamic")) set_dynamic(0);
  auto* levels = loaded_symbol<int()>("omp_get_max_active_levels");
  auto* set_levels = loaded_symbol<void(int)>("omp_set_max_active_levels");
  if (levels && set_levels && levels() < 1) set_levels(1);
}

int set_openmp_team(int threads) {
  static auto* const get = loaded_symbol<int()>("omp_get_max_threads");
  static auto* const set = loaded_symbol<void(int)>("omp_set_num_threads");
  if (!get || !set) return 0;
  at::get_num_threads();  // else LibTorch sets its own number at this thread's first work
  const int before = get();
  if (before != threads) set(threads);
  return before;
}

}  // namespace eqm
