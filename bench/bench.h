// What sampling and training cost on this machine: every subject of `eqm bench` behind one set of
// options.
#pragma once

#include <string>

#include "bench/kernel_bench.h"
#include "bench/sampler_bench.h"
#include "eqm/tensor/runtime.h"

namespace eqm::bench {

enum class Subject { engine, rules, steps, operators, sweeps, kernels };

struct BenchOptions {
  Subject subject = Subject::steps;
  std::string json;  // file for the figures; empty for none
  KernelBench kernels;
  SamplerBench samplers;
  RuntimeOptions runtime;

  void declare(OptionSet& options);
};

struct BenchResult {
  std::string figures;   // as JSON
  bool stopped = false;  // before all was measured; no file is written
};

BenchResult run(const BenchOptions& options, app::Host& host, const TableSink& print);

}  // namespace eqm::bench
