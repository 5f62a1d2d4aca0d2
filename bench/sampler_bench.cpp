#include "bench/sampler_bench.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/engine_bench.h"
#include "eqm/app/sampling_progress.h"
#include "eqm/landscape/labels.h"

namespace eqm::bench {
namespace {

// A rule as it is used when it may take so many evaluations.
struct Contender {
  std::string name;
  std::function<DescentOptions(int64_t budget)> settings;
};

std::vector<Contender> contenders(const SamplerBench& options) {
  const auto plain = [&](RuleKind rule, double mu) {
    return [=](int64_t budget) { return DescentOptions{.rule = rule, .mu = mu, .limit = budget}; };
  };
  const auto land = [](int64_t budget) {
    const int64_t landings = std::max<int64_t>(1, budget * 3 / 7);
    return DescentOptions{
        .rule = RuleKind::walk_and_land, .walk = budget - landings, .land = landings};
  };
  return {{"nesterov", plain(RuleKind::nesterov, options.mu)},
          {"gd", plain(RuleKind::gradient_descent, 0)},
          {"nesterov-velocity", plain(RuleKind::nesterov_velocity, options.mu)},
          {"heavy-ball", plain(RuleKind::heavy_ball, options.mu)},
          {"adam", plain(RuleKind::adam, 0)},
          {"rmsprop", plain(RuleKind::rmsprop, 0)},
          {"barzilai-borwein", plain(RuleKind::barzilai_borwein, 0)},
          {"land", land}};
}

constexpr int64_t kBudgets[] = {14, 28, 56, 112};

}  // namespace

void SamplerBench::declare(OptionSet& options) {
  options.text("model", model, "the model to sample: a file, a run folder or a checkpoint");
  comparison.declare_with_size(options);
  options.count("samples", samples, Range::between(2, 1e7), "samples drawn in each way");
  options.count("rows", rows, Range::between(1, 100000), "engine: rows at once, in every way");
  options.count("seed", seed, Range::between(0, 9e15), "where samples start");
  options.number("eta", eta, Range::at_least(0), "engine: step size; 0 chooses by the landscape");
  options.number("mu", mu, Range::between(0, 1), "look-ahead or momentum");
  options.count("limit", limit, Range::between(1, 1'000'000),
                "steps of nesterov, which the others are compared with");
  options.number("threshold", threshold, Range::at_least(0),
                 "engine: the gradient norm at which samples stop");
}

std::string compare_engine(const SamplerBench& options, const LearnedField& field,
                           const app::QualityMeter& meter, app::Host& host,
                           const TableSink& print) {
  const Model& model = field.model();
  const DescentOptions asked = {
      .rule = RuleKind::nesterov, .eta = options.eta, .mu = options.mu, .limit = options.limit};
  asked.validate(model.objective);
  const DescentOptions rule = asked.resolve(model.objective);
  const EngineBench work = {.samples = options.samples,
                            .rows = options.rows,
                            .seed = static_cast<uint64_t>(options.seed),
                            .eta = rule.eta,
                            .mu = rule.mu,
                            .limit = rule.limit,
                            .threshold = options.threshold};
  host.progress().begin("measuring", 1000, "parts");
  const auto ways = bench_engine(field, work, [&](double share) {
    host.progress().update(static_cast<int64_t>(1000 * share), "");
    return !host.stop_requested();
  });
  host.progress().end();
  if (ways.empty()) return "";
  const Tensor labels = labels_in_turn(model, options.samples);
  print(
      fmt::format("{} samples, nesterov eta {:.4g} mu {} limit {}, threshold {}, {} rows at once\n",
                  options.samples, rule.eta, rule.mu, rule.limit, options.threshold, options.rows));
  print(fmt::format("{:<14} {:>9} {:>12} {:>9} {:>9} {:>9} {:>12} {:>9}\n", "", "seconds",
                    "evaluations", "wasted", "of fixed", "in time", "time/evals", "distance"));
  const auto& fixed = ways.front();
  nlohmann::json figures = {{"samples", options.samples}, {"threshold", options.threshold}};
  for (const auto& way : ways) {
    const double evaluations = static_cast<double>(way.needed) / static_cast<double>(fixed.needed);
    const double time = way.seconds / fixed.seconds;
    const double distance = meter.of(way.x, model.scaling, labels).distance;
    const auto wasted = static_cast<double>(way.evaluated - way.needed);
    print(fmt::format("{:<14} {:>9.1f} {:>12} {:>8.1f}% {:>8.1f}% {:>8.1f}% {:>12.3f} {:>9.3f}\n",
                      way.name, way.seconds, way.needed,
                      100 * wasted / static_cast<double>(way.evaluated), 100 * evaluations,
                      100 * time, time / evaluations, distance));
    figures["ways"].push_back({{"name", way.name},
                               {"seconds", way.seconds},
                               {"evaluations", way.needed},
                               {"evaluated", way.evaluated},
                               {"distance", distance}});
  }
  if (const auto floor = meter.floor(options.samples)) {
    figures["floor"] = *floor;
    print(fmt::format("{:<14} {:>77.3f}\n", "real data", *floor));
  }
  return figures.dump(2) + "\n";
}

std::string compare_rules(const SamplerBench& options, const LearnedField& field,
                          const app::QualityMeter& meter, app::Host& host, const TableSink& print) {
  const app::Contest contest = {.samples = options.samples,
                                .seed = static_cast<uint64_t>(options.seed)};
  nlohmann::json figures = {{"samples", options.samples}};
  const auto measure = [&](const std::string& name,
                           const DescentOptions& settings) -> std::optional<app::Quality> {
    settings.validate(field.model().objective);
    const DescentOptions settled = settings.resolve(field.model().objective);
    app::SamplingProgress progress(host.progress(), name, options.samples, settled);
    const auto quality =
        meter.of(field, field.model().scaling, settings, contest, [&](const EngineCounts& counts) {
          progress.update(counts);
          return !host.stop_requested();
        });
    progress.end();
    if (!quality) return quality;
    const std::string text = settled.described();
    print(fmt::format("{:<18} {:>7.1f} {:>10.3f} {:>9}  {}\n", name, quality->evaluations,
                      quality->distance, app::percent_text(quality->accuracy), text));
    figures["rows"].push_back({{"rule", name},
                               {"settings", text},
                               {"evaluations", quality->evaluations},
                               {"distance", quality->distance},
                               {"diverged", quality->diverged}});
    if (quality->accuracy) figures["rows"].back()["accuracy"] = *quality->accuracy;
    return quality;
  };
  if (const auto floor = meter.floor(options.samples)) {
    figures["floor"] = *floor;
    print(fmt::format("real data {:.3f}\n", *floor));
  }
  print(fmt::format("{:<18} {:>7} {:>10} {:>9}  {}\n", "rule", "evals", "distance", "right",
                    "settings"));
  const std::vector<Contender> all = contenders(options);
  const auto paper = measure("nesterov", all.front().settings(options.limit));
  if (!paper) return "";
  for (const Contender& contender : all) {
    for (const int64_t budget : kBudgets) {
      const auto quality = measure(contender.name, contender.settings(budget));
      if (!quality) return "";
      if (quality->distance <= paper->distance) break;  // reached
    }
  }
  return figures.dump(2) + "\n";
}

}  // namespace eqm::bench
