#include "eqm/tensor/process.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

#include <ATen/Parallel.h>
#include <malloc.h>

#include "eqm/tensor/amx.h"
#include "eqm/tensor/openmp.h"
#include "eqm/tensor/runtime.h"
#include "eqm/tensor/workspace.h"

namespace eqm {
namespace {

// The first of the numbers of OMP_NUM_THREADS, which is a list, one for each level; 0 if that is
// not a number of threads that makes sense here.
int64_t threads_in_environment() {
  const char* variable = std::getenv("OMP_NUM_THREADS");
  if (variable == nullptr) return 0;
  const std::string_view text(variable, std::strcspn(variable, ","));
  int64_t wanted = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wanted);
  const bool number = error == std::errc() && end == text.data() + text.size();
  return number && wanted > 0 && wanted <= most_threads() ? wanted : 0;
}

// As every program with OpenMP: the variable, or all there are. OpenMP itself warns of one that is
// no number.
int64_t default_threads() {
  const int64_t wanted = threads_in_environment();
  return std::min(wanted > 0 ? wanted : usable_processors(), openmp_thread_limit());
}

// Activations come and go every step. By default glibc returns such blocks to the system at once
// and page faults cost a tenth of the time; kept, they are simply used again.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLargestThreshold = 32 << 20;  // glibc refuses more
  mallopt(M_MMAP_THRESHOLD, kLargestThreshold);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace

void prepare_process(int64_t threads) {
  keep_freed_memory();
  keep_old_onednn_from_amx();
  grant_openmp_teams();
  at::set_num_threads(threads > 0 ? checked_threads(threads) : static_cast<int>(default_threads()));
  install_workspace_allocator();
}

}  // namespace eqm
