// eqm_bench: ours and the plain LibTorch composition of the same work, interleaved in one process,
// as medians; with the share of the FMA peak measured in the same run.
#include <iostream>

#include <ATen/Parallel.h>
#include <CLI/CLI.hpp>

#include "bench/fma_peak.h"
#include "bench/works.h"
#include "eqm/kernel/simd/dispatch.h"
#include "eqm/tensor/blas_kernels.h"
#include "eqm/tensor/machine.h"
#include "eqm/tensor/runtime.h"

namespace {

struct Options {
  std::string what = "steps", only, json;
  int64_t threads = 0;
  eqm::bench::Pace pace;
};

void run(const Options& options) {
  using namespace eqm::bench;
  eqm::start_runtime({.threads = options.threads});
  Report report;
  report.threads = at::get_num_threads();
  report.peak = fma_peak(report.threads);
  report.blas = eqm::loaded_blas().kernels;
  if (report.blas.empty()) report.blas = "not told";
  report.target = eqm::simd::target_name(eqm::simd::runnable_targets().front());
  print_head(report);
  std::vector<NamedWork> works;
  const auto add = [&](const char* name, std::vector<NamedWork> (*make)()) {
    if (options.what != name && options.what != "all") return;
    for (NamedWork& work : make()) works.push_back(std::move(work));
  };
  add("steps", step_works);
  add("operators", operator_works);
  add("sweeps", sweep_works);
  for (const NamedWork& work : works) {
    if (work.name.find(options.only) == std::string::npos) continue;
    report.results.push_back(compare(work, options.pace, report.peak));
    print_row(report.results.back());
  }
  if (!options.json.empty()) write_json(report, options.json);
}

}  // namespace

int main(int argc, char** argv) {
  eqm::restart_with_fitting_blas_kernels(argv);  // as the program does
  Options options;
  CLI::App app{"eqm_bench: ours against the plain LibTorch composition"};
  app.add_option("what", options.what, "steps, operators, sweeps or all")
      ->check(CLI::IsMember({"steps", "operators", "sweeps", "all"}));
  app.add_option("--only", options.only, "works whose names contain this");
  app.add_option("--threads", options.threads, "0 takes every processor");
  app.add_option("--rounds", options.pace.rounds, "at least this many of each")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.pace.seconds, "at least this long for each pair");
  app.add_flag("--processor-time", options.pace.processor_time,
               "measure processor time: for one thread on a busy machine");
  app.add_flag("--ours", options.pace.ours_alone, "ours alone, for a profiler");
  app.add_option("--json", options.json, "a file for the figures");
  CLI11_PARSE(app, argc, argv);
  run(options);
}
