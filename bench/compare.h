// Ours against the plain composition, interleaved in one process: what else the machine does meets
// both.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace eqm::bench {

struct Work {
  double flops = 0;  // of one run; 0 where they mean little
  std::function<void()> plain, ours;
};

// Networks are large, so each work is made when its turn comes.
struct NamedWork {
  std::string name;
  std::function<Work()> make;
  std::string axis = {};  // of a sweep: what grows
  double at = 0;          // and its value
};

struct Result {
  std::string name, axis;
  double at = 0;
  double plain_ms = 0, ours_ms = 0;  // medians; plain is 0 where ours was measured alone
  double ratio = 0;                  // plain / ours, of the medians
  double gflops = 0;                 // ours
  double peak = 0, of_peak = 0;      // GFLOP/s of multiply-adds between the rounds; our share of it
};

struct Pace {
  int rounds = 7;  // at least
  double seconds = 2;
  // Processor time instead of wall time: with one thread, ratios then tell something on a busy
  // machine too.
  bool processor_time = false;
  bool ours_alone = false;                               // for a profiler
  std::function<bool()> stopped = [] { return false; };  // asked before each round
};

struct Report {
  std::string version, subject;
  int threads = 0;
  std::string blas, target;
  Pace pace;
  std::vector<Result> results;
};

// Runs both in turn, after one turn to warm up, until rounds and seconds are reached. Nothing when
// it was stopped.
std::optional<Result> compare(const NamedWork& named, const Pace& pace);

std::string head_of(const Report& report);
std::string name_cell(const std::string& name);
std::string figures_of(const Result& result);  // the rest of the row
std::string json_of(const Report& report);

}  // namespace eqm::bench
