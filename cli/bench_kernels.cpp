#include "cli/bench_kernels.h"

#include <algorithm>
#include <cctype>
#include <iostream>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "bench/works.h"
#include "cli/figure_file.h"
#include "cli/interrupt.h"
#include "eqm/base/error.h"
#include "eqm/draw/chart.h"
#include "eqm/io/atomic_file.h"
#include "eqm/kernel/choice.h"
#include "eqm/tensor/machine.h"

namespace eqm::cli {
namespace {

// Whether `part` is in `text`, large and small letters being the same.
bool has(const std::string& text, const std::string& part) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

std::vector<bench::NamedWork> works_of(const std::string& subject, const std::string& only) {
  std::vector<bench::NamedWork> works;
  const auto add = [&](const char* name, std::vector<bench::NamedWork> (*make)()) {
    if (subject != name && subject != "kernels") return;
    for (bench::NamedWork& work : make()) {
      if (has(work.name, only)) works.push_back(std::move(work));
    }
  };
  add("steps", bench::step_works);
  add("operators", bench::operator_works);
  add("sweeps", bench::sweep_works);
  if (works.empty()) {
    throw Error(ErrorKind::usage, fmt::format("no work of {} has '{}' in its name", subject, only),
                "leave --only away to see them all");
  }
  return works;
}

bench::Report described_machine() {
  bench::Report report;
  report.threads = at::get_num_threads();
  report.blas = loaded_blas().kernels;
  if (report.blas.empty()) report.blas = "not told";
  report.target = kernel::kernels_in_use();
  return report;
}

// How cost grows along each axis that was swept.
void draw_sweeps(const bench::Report& report, bool alone, const std::filesystem::path& folder) {
  for (const char* axis : {"batch", "tokens", "width"}) {
    draw::Series plain = {.name = "plain LibTorch"}, ours = {.name = "eqm"};
    for (const bench::Result& result : report.results) {
      if (result.axis != axis) continue;
      if (!alone) {
        plain.x.push_back(result.at);
        plain.y.push_back(result.plain_ms);
      }
      ours.x.push_back(result.at);
      ours.y.push_back(result.ours_ms);
    }
    if (ours.x.size() < 2) continue;
    draw::Canvas canvas(720, 440);
    std::vector<draw::Series> series = {ours};
    if (!alone) series.insert(series.begin(), plain);
    draw::line_chart(canvas, {.x = 70, .y = 50, .width = 620, .height = 330}, series,
                     {.title = fmt::format("A forward pass by {}", axis),
                      .x_label = axis,
                      .y_label = "milliseconds",
                      .x_scale = draw::Scale::log,
                      .y_scale = draw::Scale::log,
                      .dots = true});
    write_figure(folder / fmt::format("by-{}", axis), canvas, {{"Software", "eqm " EQM_VERSION}});
  }
}

}  // namespace

void KernelBench::declare(OptionSet& options) {
  options.text("only", only, "works whose names contain this");
  options.count("rounds", rounds, Range::between(1, 100000), "measurements of each work at least");
  options.number("seconds", seconds, Range::between(0, 3600), "time for each work at least");
  options.flag("processor-time", processor_time,
               "measures processor time: for one thread on a busy machine");
  options.flag("ours-alone", ours_alone, "leaves the plain composition away, for a profiler");
  options.text("out", out, "folder for the charts of sweeps; empty for none");
}

std::string bench_kernels(const KernelBench& options, const std::string& subject) {
  const std::vector<bench::NamedWork> works = works_of(subject, options.only);
  if (!options.out.empty()) create_folder(options.out);
  bench::Report report = described_machine();
  std::cout << bench::head_of(report) << std::flush;
  const bench::Pace pace = {.rounds = static_cast<int>(options.rounds),
                            .seconds = options.seconds,
                            .processor_time = options.processor_time,
                            .ours_alone = options.ours_alone,
                            .stopped = [] { return interrupt_requested() != 0; }};
  for (const bench::NamedWork& work : works) {
    const std::optional<bench::Result> result = bench::compare(work, pace);
    if (!result) return "";
    report.results.push_back(*result);
    std::cout << bench::row_of(report.results.back()) << std::flush;
  }
  if (!options.out.empty()) draw_sweeps(report, options.ours_alone, options.out);
  return bench::json_of(report);
}

}  // namespace eqm::cli
