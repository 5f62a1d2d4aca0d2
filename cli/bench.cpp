// eqm bench: what things cost here, as ratios measured in one run.
#include "bench/bench.h"

#include <iostream>

#include "cli/verb.h"

namespace eqm::cli {
namespace {

// Answers whether anybody reads it; the program says so when it ends.
bool print_part(const std::string& table) {
  std::cout << table << std::flush;
  return std::cout.good();
}

}  // namespace

std::unique_ptr<Verb> bench_verb() {
  return verb_of<bench::BenchOptions>(
      use_of<bench::BenchOptions>(
          "bench", "Measures what sampling and training cost on this machine", "subject"),
      [](const bench::BenchOptions& options, Host& host) {
        return bench::run(options, host, print_part).stopped;
      });
}

}  // namespace eqm::cli
