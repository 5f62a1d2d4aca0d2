#include "eqm/app/reproduce.h"

#include <fmt/format.h>

#include "eqm/app/lab/experiment_report.h"
#include "eqm/app/lab/lab.h"
#include "eqm/base/error.h"
#include "eqm/base/option_keys.h"
#include "eqm/io/atomic_file.h"

namespace eqm::app {
namespace {

std::vector<Experiment> asked_experiments(const std::string& what) {
  if (what == "all") return known_experiments();
  if (what.empty()) {
    throw Error(ErrorKind::usage, "no experiment was named",
                "{experiment} is a name that `list` shows, a TOML file, or all");
  }
  return {read_experiment(find_experiment(what))};
}

}  // namespace

void ReproduceOptions::declare(OptionSet& options) {
  options.text("experiment", experiment, "its name, a TOML file, all, or list to see them");
  options.choice("scale", scale, scale_names(),
                 "tiny tries the machinery in seconds, small is for two CPU cores, paper for GPUs");
  options.count("seeds", seeds, Range::between(1, 100), "models trained of each kind");
  options.text("data", data, "folder of data sets that some experiments need");
  options.flag("only-trained", only_trained, "leaves out experiments with untrained models");
  options.section("output");
  options.text("out", out, "the lab: models, measurements, tables and figures");
  runtime.declare(options);
}

std::vector<Experiment> known_experiments() {
  std::vector<Experiment> experiments;
  for (const std::filesystem::path& path : shipped_experiments()) {
    experiments.push_back(read_experiment(path));
  }
  return experiments;
}

ReproduceResult run(const ReproduceOptions& options, Host& host) {
  if (options.experiment == "list") return {.listed = known_experiments()};
  const std::vector<Experiment> experiments = asked_experiments(options.experiment);
  Lab lab({.folder = options.out,
           .data = options.data,
           .scale = read_scale(options.scale),
           .runtime = options.runtime},
          host);
  host.begin_stoppable_work();
  ReproduceResult result;
  for (size_t i = 0; i < experiments.size(); ++i) {
    const Experiment& experiment = experiments[i];
    if (options.only_trained && !lab.is_trained(experiment, options.seeds)) {
      result.skipped.push_back(fmt::format("{}: its models are not trained", experiment.name));
      continue;
    }
    host.log()->info("experiment {} of {}: {}", i + 1, experiments.size(), experiment.name);
    try {
      auto found = lab.run(experiment, options.seeds);
      if (!found) {
        host.log()->warn("interrupted: the same command continues from here");
        result.stopped = true;
        break;
      }
      announce(host, std::filesystem::path(options.out) / experiment.name,
               {"table.md", "table.csv", "result.json", "figure.png", "figure.svg"});
      result.results.push_back(std::move(*found));
    } catch (const Error& error) {
      // One that lacks its data does not keep the others from being run.
      if (experiments.size() == 1 || error.kind() != ErrorKind::input) throw;
      host.log()->warn("{}; {}", error.what(), error.hint());
      result.skipped.push_back(fmt::format("{}; {}", error.what(), error.hint()));
    }
  }
  if (!result.results.empty() && experiments.size() > 1) {
    std::string summary = summary_text(result.results);
    for (const std::string& sentence : result.skipped) summary += "\nNot run: " + sentence + "\n";
    write_file(std::filesystem::path(options.out) / "summary.md", render_keys(summary, bare_key));
  }
  return result;
}

std::string text_of(const ReproduceResult& result) {
  std::string text;
  for (const Experiment& experiment : result.listed) {
    text += fmt::format("{:<20} {}\n", experiment.name, experiment.title);
  }
  for (const ExperimentResult& one : result.results) text += report_text(one) + "\n";
  for (const std::string& sentence : result.skipped) text += "not run: " + sentence + "\n";
  return text;
}

}  // namespace eqm::app
