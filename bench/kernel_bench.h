// What operators and whole steps of networks cost: `eqm bench steps`, `operators`, `sweeps` and
// `kernels`, which is all three.
#pragma once

#include <cstdint>
#include <string>

#include "bench/compare.h"
#include "bench/table_sink.h"
#include "eqm/app/host.h"
#include "eqm/base/options.h"

namespace eqm::bench {

struct KernelBench {
  std::string only;  // works whose names contain this
  std::string out;   // folder for charts of sweeps; empty for none
  int64_t rounds = 7;
  double seconds = 2;
  bool processor_time = false, ours_alone = false;

  void declare(OptionSet& options);
};

// Writes a table to `print`, draws sweeps and answers the figures as JSON; empty when it was
// interrupted.
std::string bench_kernels(const KernelBench& options, const std::string& subject, app::Host& host,
                          const TableSink& print);

}  // namespace eqm::bench
