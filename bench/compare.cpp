#include "bench/compare.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/fma_peak.h"

namespace eqm::bench {
namespace {

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double now(bool processor_time) {
  timespec time = {};
  clock_gettime(processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const std::function<void()>& work, bool processor_time) {
  const double start = now(processor_time);
  work();
  return now(processor_time) - start;
}

// GFLOP/s of multiply-adds at this moment.
double peak_now(bool processor_time) {
  const double start = now(processor_time);
  const double operations = run_fma_chains();
  return operations / (now(processor_time) - start) * 1e-9;
}

}  // namespace

std::optional<Result> compare(const NamedWork& named, const Pace& pace) {
  constexpr double kPeakEvery = 0.2;  // seconds
  Work work = named.make();
  if (pace.ours_alone) work.plain = [] {};
  work.plain();
  work.ours();
  std::vector<double> plain, ours, peaks;
  double spent = 0;
  while (static_cast<int>(ours.size()) < pace.rounds || spent < pace.seconds) {
    if (pace.stopped()) return std::nullopt;
    // A profile shows the work alone.
    if (peaks.empty() ||
        (!pace.ours_alone && spent >= kPeakEvery * static_cast<double>(peaks.size()))) {
      peaks.push_back(peak_now(pace.processor_time));
    }
    plain.push_back(seconds_of(work.plain, pace.processor_time));
    ours.push_back(seconds_of(work.ours, pace.processor_time));
    spent += plain.back() + ours.back();
  }
  const double a = median_of(plain), b = median_of(ours), peak = median_of(peaks);
  const double gflops = work.flops / b * 1e-9;
  return Result{.name = named.name,
                .axis = named.axis,
                .at = named.at,
                .plain_ms = pace.ours_alone ? 0 : a * 1e3,
                .ours_ms = b * 1e3,
                .ratio = pace.ours_alone ? 0 : a / b,
                .gflops = gflops,
                .peak = peak,
                .of_peak = gflops / peak};
}

std::string head_of(const Report& report) {
  return fmt::format(
      "{} thread{}; our kernels: {}; BLAS kernels: {}{}\n\n"
      "{} {:>9} {:>9} {:>7} {:>9} {:>9} {:>8}\n",
      report.threads, report.threads == 1 ? "" : "s", report.target, report.blas,
      report.pace.processor_time ? "; processor time" : "", name_cell(""), "plain ms", "ours ms",
      "ratio", "GFLOP/s", "FMA peak", "of peak");
}

std::string name_cell(const std::string& name) {
  return fmt::format("{:<44}", name);
}

std::string figures_of(const Result& r) {
  const auto known = [](double value) {
    return value > 0 ? fmt::format("{:.2f}", value) : std::string("-");
  };
  std::string row =
      fmt::format(" {:>9} {:>9.2f} {:>7}", known(r.plain_ms), r.ours_ms, known(r.ratio));
  if (r.gflops > 0) {
    row += fmt::format(" {:>9.0f} {:>9.0f} {:>7.0f}%", r.gflops, r.peak, 100 * r.of_peak);
  }
  return row + "\n";
}

std::string json_of(const Report& report) {
  const auto known = [](double value) { return value > 0 ? nlohmann::json(value) : nullptr; };
  nlohmann::json rows = nlohmann::json::array();
  for (const Result& r : report.results) {
    rows.push_back({{"name", r.name},
                    {"axis", r.axis},
                    {"at", r.at},
                    {"plain_ms", known(r.plain_ms)},
                    {"ours_ms", r.ours_ms},
                    {"ratio", known(r.ratio)},
                    {"gflops", r.gflops},
                    {"fma_peak_gflops", r.peak},
                    {"of_peak", r.of_peak}});
  }
  return nlohmann::json{{"eqm", report.version},
                        {"subject", report.subject},
                        {"threads", report.threads},
                        {"rounds_at_least", report.pace.rounds},
                        {"seconds_at_least", report.pace.seconds},
                        {"clock", report.pace.processor_time ? "processor" : "wall"},
                        {"blas_kernels", report.blas},
                        {"kernels", report.target},
                        {"results", rows}}
             .dump(2) +
         "\n";
}

}  // namespace eqm::bench
