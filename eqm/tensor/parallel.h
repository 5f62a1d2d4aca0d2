// Work for several threads: LibTorch's parallel_for, which is a template and quietly runs on one
// thread where it is compiled without OpenMP, and tasks that threads take from each other.
#pragma once

#ifndef _OPENMP
#error "compile with OpenMP, as the target eqm does"
#endif

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include <ATen/Parallel.h>

namespace eqm {

// Calls work(task) for every task below `count`. Each thread begins with its own share, the same at
// every call, so that it finds in its caches what it left there; one that is done early helps the
// others.
template <class Work>
void parallel_tasks(int64_t count, const Work& work) {
  struct alignas(64) Share {
    std::atomic<int64_t> next = 0;
    int64_t end = 0;
  };
  const int64_t threads = std::min<int64_t>(at::get_num_threads(), count);
  std::vector<Share> shares(static_cast<size_t>(threads));
  for (int64_t t = 0; t < threads; ++t) {
    Share& share = shares[static_cast<size_t>(t)];
    share.next = count * t / threads;
    share.end = count * (t + 1) / threads;
  }
  at::parallel_for(0, threads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      for (int64_t i = 0; i < threads; ++i) {
        Share& share = shares[static_cast<size_t>((t + i) % threads)];
        for (int64_t task = share.next++; task < share.end; task = share.next++) work(task);
      }
    }
  });
}

}  // namespace eqm
