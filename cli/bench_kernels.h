// What operators and whole steps of networks cost: `eqm bench steps`, `operators`, `sweeps` and
// `kernels`, which is all three.
#pragma once

#include <string>

#include "bench/compare.h"
#include "cli/verb.h"

namespace eqm::cli {

struct KernelBench {
  std::string only;  // works whose names contain this
  std::string out;   // folder for charts of sweeps; empty for none
  int64_t rounds = 7;
  double seconds = 2;
  bool processor_time = false, ours_alone = false;

  void declare(OptionSet& options);
};

// Prints a table, draws sweeps and answers the figures as JSON; empty when it was interrupted.
std::string bench_kernels(const KernelBench& options, const std::string& subject, Host& host);

}  // namespace eqm::cli
