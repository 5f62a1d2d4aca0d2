#include "eqm/tensor/openmp.h"

#include <algorithm>
#include <limits>

#include "eqm/tensor/loaded_symbol.h"

namespace eqm {

int64_t largest_openmp_team() {
  if (auto* set_dynamic = loaded_symbol<void(int)>("omp_set_dynamic")) set_dynamic(0);
  auto* levels = loaded_symbol<int()>("omp_get_max_active_levels");
  auto* set_levels = loaded_symbol<void(int)>("omp_set_max_active_levels");
  if (levels && set_levels && levels() < 1) set_levels(1);
  auto* limit = loaded_symbol<int()>("omp_get_thread_limit");
  return limit ? std::max(1, limit()) : std::numeric_limits<int64_t>::max();
}

}  // namespace eqm
