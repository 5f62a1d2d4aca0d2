#include "bench/kernel_bench.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/works.h"
#include "eqm/app/figure_file.h"
#include "eqm/base/error.h"
#include "eqm/base/version.h"
#include "eqm/draw/chart.h"
#include "eqm/io/output_folder.h"
#include "eqm/kernel/dispatch.h"
#include "eqm/tensor/machine.h"

namespace eqm::bench {
namespace {

// Whether `part` is in `text`, large and small letters being the same.
bool has(const std::string& text, const std::string& part) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

std::vector<std::string> names_of(const std::vector<NamedWork>& works) {
  std::vector<std::string> names;
  for (const NamedWork& work : works) names.push_back(work.name);
  return names;
}

std::vector<NamedWork> works_of(const std::string& subject, const std::string& only) {
  std::vector<NamedWork> works;
  const auto add = [&](const char* name, std::vector<NamedWork> (*make)()) {
    if (subject != name && subject != "kernels") return;
    for (NamedWork& work : make()) {
      if (has(work.name, only)) works.push_back(std::move(work));
    }
  };
  add("steps", step_works);
  add("operators", operator_works);
  add("sweeps", sweep_works);
  if (works.empty()) {
    throw Error(ErrorKind::usage, fmt::format("no work of {} has '{}' in its name", subject, only),
                fmt::format("those of steps are {}", fmt::join(names_of(step_works()), "; ")));
  }
  return works;
}

Report described_machine(const std::string& subject) {
  Report report;
  report.version = version();
  report.subject = subject;
  report.threads = at::get_num_threads();
  report.blas = loaded_blas().kernels;
  if (report.blas.empty()) report.blas = "not told";
  report.target = kernel::kernels_in_use();
  return report;
}

// How cost grows along each axis that was swept. Returns the names of the files.
std::vector<std::string> draw_sweeps(const Report& report, const std::filesystem::path& folder) {
  std::vector<std::string> written;
  const bool alone = report.pace.ours_alone;
  for (const char* axis : {"batch", "tokens", "width"}) {
    draw::Series plain = {.name = "plain LibTorch"}, ours = {.name = "eqm"};
    std::string last;  // the largest work
    for (const Result& result : report.results) {
      if (result.axis != axis) continue;
      last = result.name;
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
                      .subtitle = fmt::format("up to {}; {} thread{}, {}", last, report.threads,
                                              report.threads == 1 ? "" : "s", report.target),
                      .x_label = axis,
                      .y_label = "milliseconds",
                      .x_scale = draw::Scale::log,
                      .y_scale = draw::Scale::log,
                      .dots = true});
    const std::string name = fmt::format("by-{}", axis);
    app::write_figure(folder / name, canvas, {{"Software", software_name()}});
    written.push_back(name + ".png");
    written.push_back(name + ".svg");
  }
  return written;
}

}  // namespace

void KernelBench::declare(OptionSet& options) {
  options.text("only", only, "works whose names contain this");
  options.count("rounds", rounds, Range::between(1, 100000), "measurements of each work at least");
  options.number("seconds", seconds, Range::between(0, 3600), "time for each work at least");
  options.flag("processor-time", processor_time,
               "measures processor time: for one thread on a busy machine");
  options.flag("ours-alone", ours_alone, "measures no plain composition, for a profiler");
  options.text("out", out, "folder for the charts of sweeps; empty for none");
}

std::string bench_kernels(const KernelBench& options, const std::string& subject, app::Host& host,
                          const TableSink& print) {
  const std::vector<NamedWork> works = works_of(subject, options.only);
  const bool draws =
      !options.out.empty() && std::any_of(works.begin(), works.end(),
                                          [](const NamedWork& work) { return !work.axis.empty(); });
  std::optional<OutputFolder> folder;
  if (draws) folder.emplace(options.out);
  if (!options.out.empty() && !draws) host.log()->warn("{out} is for sweeps; nothing is drawn");
  if (options.processor_time && at::get_num_threads() > 1) {
    host.log()->warn("processor time counts threads that wait: compare it with {threads} 1");
  }
  Report report = described_machine(subject);
  report.pace = {.rounds = static_cast<int>(options.rounds),
                 .seconds = options.seconds,
                 .processor_time = options.processor_time,
                 .ours_alone = options.ours_alone,
                 .stopped = [&host] { return host.stop_requested(); }};
  print(head_of(report));
  for (const NamedWork& work : works) {
    print(name_cell(work.name));
    const std::optional<Result> result = compare(work, report.pace);
    if (!result) {
      print("\n");
      return "";
    }
    report.results.push_back(*result);
    if (!print(figures_of(*result))) return "";
  }
  if (std::any_of(report.results.begin(), report.results.end(),
                  [](const Result& result) { return result.of_peak > 1; })) {
    host.log()->warn("shares above 100 %: the machine was not idle, or {seconds} is too short");
  }
  if (draws) {
    host.log()->info("wrote {} to {}", fmt::join(draw_sweeps(report, options.out), ", "),
                     options.out);
  }
  return json_of(report);
}

}  // namespace eqm::bench
