#include "eqm/app/sweep.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/app/model_lookup.h"
#include "eqm/app/unused_options.h"
#include "eqm/backbone/weights.h"
#include "eqm/io/output_folder.h"

namespace eqm::app {
namespace {

// But for the objective of its model.
SweepSetting setting_at(const SweepOptions& sweep, const std::vector<Axis>& axes,
                        const GridPoint& point) {
  SweepSetting setting = {.model = sweep.model,
                          .objective = {},
                          .descent = sweep.descent,
                          .guidance = sweep.guidance,
                          .gamma = sweep.start.gamma};
  OptionSet options;
  setting.descent.declare(options);
  setting.guidance.declare(options);
  options.text("model", setting.model, "");
  declare_gamma(options, setting.gamma);
  for (size_t i = 0; i < axes.size(); ++i) options.set_text(axes[i].name, point[i]);
  return setting;
}

// What all measurements depend on. Names of models are not enough: they may have been trained on
// since.
nlohmann::json subject_of(const SweepOptions& sweep, const Model& model, const Codec& codec,
                          const FeatureNet& network) {
  nlohmann::json subject = {
      {"model", fingerprint_of(*model.backbone)},
      {"autoencoder", codec.autoencoder() ? codec.autoencoder()->fingerprint() : 0},
      {"autoencoder-memory", codec.autoencoder() ? sweep.codec.vae_memory_mb : 0},
      {"features", network.identity()},
      {"reference", sweep.comparison.reference},
      {"reference-count", sweep.comparison.reference_count},
      {"size", sweep.comparison.size},
      {"samples", sweep.samples},
      {"seed", sweep.seed}};
  if (!sweep.labels.empty()) subject["labels"] = sweep.labels;
  return subject;
}

std::string key_of(nlohmann::json key, SweepSetting setting, const std::string& start_data) {
  setting.descent = setting.descent.resolve(setting.objective);
  OptionSet options;
  setting.descent.declare(options);
  key["guidance"] = setting.guidance.scale;
  if (setting.guidance.channels != GuidedChannels::all) {
    key["guided-channels"] = name_in(guided_channels_names(), setting.guidance.channels);
  }
  if (setting.gamma > 0) {
    key["gamma"] = setting.gamma;
    key["start"] = start_data;
  }
  for (const Option& option : options.options()) key[option.name] = to_text(option.get());
  return key.dump();
}

// A model of the grid, with what its measurements depend on.
struct SweptModel {
  LearnedField field;
  Codec codec;
  nlohmann::json subject;
  std::optional<StartImages> images = {};  // where some setting starts from them
};

// Those that the settings name, each once. Fills in the settings' objectives, and refuses settings
// that do not suit their model, before anything is measured.
std::map<std::string, SweptModel> open_models(const SweepOptions& options,
                                              const FeatureNet& network,
                                              std::vector<SweepSetting>& settings,
                                              const torch::TensorOptions& type, Host& host) {
  std::map<std::string, SweptModel> models;
  for (SweepSetting& setting : settings) {
    auto found = models.find(setting.model);
    if (found == models.end()) {
      const Model model = load_for(setting.model, type);
      const Codec codec = options.codec.codec_of(model, type);
      require_fitting(network, model, codec);
      found = models
                  .emplace(setting.model,
                           SweptModel{.field = LearnedField(model),
                                      .codec = codec,
                                      .subject = subject_of(options, model, codec, network)})
                  .first;
    }
    SweptModel& swept = found->second;
    const Model& model = swept.field.model();
    setting.objective = model.objective;
    setting.descent.validate(model.objective);
    require_labels(options.labels, setting.guidance, swept.field);
    if (setting.gamma > 0 && !swept.images) {
      swept.images = images_to_start_from(options.start, options.comparison.reference,
                                          options.samples, model, swept.codec, host);
    }
  }
  return models;
}

}  // namespace

void SweepOptions::declare(OptionSet& options) {
  options.text("model", model,
               "the model to sample: a file, a run folder or a checkpoint; several by {grid}");
  comparison.declare_with_size(options);
  options.text("grid", grid,
               "options with their values, such as \"eta=0.003,0.006 limit=60,250\"; also model, "
               "guidance and gamma");
  options.count("samples", samples, Range::between(2, 1e7), "samples per grid point");
  options.count("seed", seed, Range::between(0, 9e15), "seed of the starting noise");
  options.text("labels", labels, kLabelsInTurnHelp);
  guidance.declare(options);
  start.declare(options);
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
  for (Axis& axis : result.axes) {
    if (axis.name == "model") axis.shown = short_names(axis.values);
  }
  const std::vector<Axis>& axes = result.axes;
  const std::vector<GridPoint> points = points_of(axes);
  std::vector<SweepSetting> settings;
  for (const GridPoint& point : points) settings.push_back(setting_at(options, axes, point));
  const FeatureNetPtr network = load_features(options.comparison, type);
  const std::map<std::string, SweptModel> models =
      open_models(options, *network, settings, type, host);
  warn_of_idle_settings(axes, points, settings, *host.log());
  const std::filesystem::path folder = options.out;
  const OutputFolder place(folder);
  SweepStore store(folder / "sweep.jsonl");
  const QualityMeter meter(network, options.comparison, host);
  warn_of_few("samples", options.samples, network->feature_count(), host);
  result.floor = meter.floor(options.samples);
  events.begun(result.floor);
  host.begin_stoppable_work();
  const std::string& start_data =
      options.start.data.empty() ? options.comparison.reference : options.start.data;
  std::vector<std::string> keys;
  for (const SweepSetting& setting : settings) {
    keys.push_back(key_of(models.at(setting.model).subject, setting, start_data));
  }
  const auto missing = std::ranges::count_if(
      keys, [&](const std::string& key) { return store.find(key) == nullptr; });
  int64_t drawn = 0;
  host.progress().begin("sweeping", missing * options.samples, "samples");
  for (size_t i = 0; i < points.size(); ++i) {
    const std::string text = text_of(axes, points[i]);
    if (store.find(keys[i]) == nullptr) {
      const SweptModel& model = models.at(settings[i].model);
      const Contest contest = {.samples = options.samples,
                               .seed = static_cast<uint64_t>(options.seed),
                               .labels = options.labels,
                               .guidance = settings[i].guidance,
                               .gamma = settings[i].gamma,
                               .images = model.images ? &*model.images : nullptr};
      const auto quality = meter.of(
          model.field, model.codec, settings[i].descent, contest, [&](const EngineCounts& counts) {
            // Unfinished samples count by the fraction of their descent that is done.
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
  if (result.measured.size() < points.size()) {
    host.log()->warn("interrupted: the same command resumes from here");
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
