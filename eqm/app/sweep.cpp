#include "eqm/app/sweep.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/app/model_lookup.h"
#include "eqm/app/unused_options.h"
#include "eqm/backbone/weights.h"
#include "eqm/io/output_folder.h"

namespace eqm::app {
namespace {

SweepSetting setting_at(const SweepOptions& sweep, const std::vector<Axis>& axes,
                        const GridPoint& point) {
  SweepSetting setting = {.descent = sweep.descent, .guidance = sweep.guidance};
  OptionSet options;
  setting.descent.declare(options);
  options.number("guidance", setting.guidance, Range::between(-1000, 1000), "");
  for (size_t i = 0; i < axes.size(); ++i) options.set_text(axes[i].name, point[i]);
  return setting;
}

// What all measurements depend on. Names of models are not enough: they may have been trained on
// since.
nlohmann::json subject_of(const SweepOptions& sweep, const Model& model, const Codec& codec,
                          const FeatureNet& network) {
  return {{"model", fingerprint_of(*model.backbone)},
          {"autoencoder", codec.autoencoder() ? codec.autoencoder()->fingerprint() : 0},
          {"autoencoder-memory", codec.autoencoder() ? sweep.codec.vae_memory_mb : 0},
          {"features", network.identity()},
          {"reference", sweep.comparison.reference},
          {"reference-count", sweep.comparison.reference_count},
          {"size", sweep.comparison.size},
          {"samples", sweep.samples},
          {"seed", sweep.seed}};
}

// `setting` is resolved.
std::string key_of(nlohmann::json key, SweepSetting setting) {
  OptionSet options;
  setting.descent.declare(options);
  key["guidance"] = setting.guidance;
  for (const Option& option : options.options()) key[option.name] = to_text(option.get());
  return key.dump();
}

}  // namespace

void SweepOptions::declare(OptionSet& options) {
  options.text("model", model, "the model to sample: a file, a run folder or a checkpoint");
  comparison.declare_with_size(options);
  options.text("grid", grid, "options with their values, as \"eta=0.003,0.006 limit=60,250\"");
  options.count("samples", samples, Range::between(2, 1e7), "samples at each point");
  options.count("seed", seed, Range::between(0, 9e15), "where samples start");
  options.number("guidance", guidance, Range::between(-1000, 1000),
                 "scale of classifier-free guidance; 1 for none");
  options.section("descent");
  descent.declare(options);
  options.section("output");
  options.text("out", out, "folder for sweep.jsonl, sweep.csv and the charts");
  codec.declare(options);
  runtime.declare(options);
}

SweepResult run(const SweepOptions& options, Host& host, const SweepEvents& events) {
  const Runtime runtime = make_runtime(options.runtime);
  const RuntimeScope scope(runtime);
  const torch::TensorOptions type = runtime.tensors();
  SweepResult result = {.axes = axes_of(options.grid), .folder = options.out};
  const std::vector<Axis>& axes = result.axes;
  const std::vector<GridPoint> points = points_of(axes);
  const LearnedField field(load_for(options.model, type));
  const Objective& objective = field.model().objective;
  std::vector<SweepSetting> settings;
  for (const GridPoint& point : points) {  // refuses before anything is measured
    settings.push_back(setting_at(options, axes, point));
    settings.back().descent.validate(objective);
  }
  warn_of_idle_settings(axes, points, settings, objective, *host.log());
  const FeatureNetPtr network = load_features(options.comparison, type);
  const Codec codec = options.codec.codec_of(field.model(), type);
  require_fitting(*network, field.model(), codec);
  const nlohmann::json subject = subject_of(options, field.model(), codec, *network);
  const std::filesystem::path folder = options.out;
  const OutputFolder place(folder);
  SweepStore store(folder / "sweep.jsonl");
  const QualityMeter meter(network, options.comparison, host);
  warn_of_few("samples", options.samples, network->feature_count(), host);
  result.floor = meter.floor(options.samples);
  events.begun(result.floor);
  host.begin_stoppable_work();
  std::vector<std::string> keys;
  for (SweepSetting setting : settings) {
    setting.descent = setting.descent.resolve(objective);
    keys.push_back(key_of(subject, setting));
  }
  const auto missing = std::ranges::count_if(
      keys, [&](const std::string& key) { return store.find(key) == nullptr; });
  int64_t drawn = 0;
  host.progress().begin("sweeping", missing * options.samples, "samples");
  for (size_t i = 0; i < points.size(); ++i) {
    const std::string text = text_of(axes, points[i]);
    if (store.find(keys[i]) == nullptr) {
      const Contest contest = {.samples = options.samples,
                               .seed = static_cast<uint64_t>(options.seed),
                               .guidance = settings[i].guidance};
      const auto quality =
          meter.of(field, codec, settings[i].descent, contest, [&](const EngineCounts& counts) {
            // Samples on their way count by the share of it that they have gone.
            host.progress().update(drawn + static_cast<int64_t>(counts.ways),
                                   fmt::format("point {} of {}: {}", i + 1, points.size(), text));
            return !host.stop_requested();
          });
      if (!quality) break;
      drawn += options.samples;
      store.add(keys[i], *quality);
    }
    result.measured.push_back({points[i], *store.find(keys[i])});
    events.measured(text, result.measured.back().quality);
  }
  host.progress().end();
  if (host.stop_requested()) {
    host.log()->warn("interrupted: the same command goes on from here");
    result.stopped = true;
    return result;
  }
  write_sweep(
      folder, axes, result.measured,
      {.samples = options.samples, .features = network->feature_count(), .floor = result.floor});
  host.log()->info("wrote sweep.csv and charts to {}", options.out);
  return result;
}

}  // namespace eqm::app
