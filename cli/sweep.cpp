// eqm sweep: the quality of a model's samples over a grid of sampler settings.
#include <algorithm>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/interrupt.h"
#include "cli/verb.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/sweep_output.h"
#include "eqm/app/unused_options.h"
#include "eqm/backbone/weights.h"
#include "eqm/codec/options.h"
#include "eqm/io/output_folder.h"
#include "eqm/tensor/runtime.h"
#include "eqm/train/run_folder.h"

namespace eqm::cli {
namespace {

class Sweep final : public Verb {
 public:
  std::string name() const override { return "sweep"; }
  std::string summary() const override {
    return "Measures the quality of samples over a grid of sampler settings";
  }
  std::string advice() const override {
    return R"(Quality is the Fréchet distance between samples and a reference in the features of a network (--features: a
classifier of the same data, or Inception's weights), lower is better; `right` is the share of samples that the
classifier takes for the class they were asked for. `eqm evaluate --help` tells more of both. The grid names
options of the descent (see `eqm sample --help`) and guidance; options given as flags hold for all its points. An
interrupted sweep goes on where it was when the same command is given again.

Examples:
  eqm sweep --grid "rule=nesterov,gd limit=60,120,250" --out out/steps
  eqm sweep --limit 100 --grid "eta=0.003,0.006,0.012" --out out/step-sizes
  eqm sweep --grid "walk=5,10 land=2,4" --samples 2000 --out out/land)";
  }

  void declare(OptionSet& options) override {
    options.text("model", model_, "the model to sample: a file, a run folder or a checkpoint");
    comparison_.declare_with_size(options);
    options.text("grid", grid_, "options with their values, as \"eta=0.003,0.006 limit=60,250\"");
    options.count("samples", samples_, Range::between(2, 1e7), "samples at each point");
    options.count("seed", seed_, Range::between(0, 9e15), "where samples start");
    options.number("guidance", guidance_, Range::between(-1000, 1000),
                   "scale of classifier-free guidance; 1 for none");
    options.section("descent");
    descent_.declare(options);
    options.section("output");
    options.text("out", out_, "folder for sweep.jsonl, sweep.csv and the charts");
    codec_.declare(options);
    runtime_.declare(options);
  }

  int run(const OptionSet&, Host& host) override {
    const Runtime runtime = make_runtime(runtime_);
    const RuntimeScope scope(runtime);
    const torch::TensorOptions type = runtime.tensors();
    const std::vector<Axis> axes = axes_of(grid_);
    const std::vector<GridPoint> points = points_of(axes);
    const LearnedField field(load_for(model_, type));
    std::vector<SweepSetting> settings;
    for (const GridPoint& point : points) {  // refuses before anything is measured
      settings.push_back(at(axes, point));
      settings.back().descent.validate(field.model().objective);
    }
    warn_of_idle_settings(axes, points, settings, field.model().objective, *host.log());
    const FeatureNetPtr network = load_features(comparison_, type);
    const Codec codec = codec_.codec_of(field.model(), type);
    require_fitting(*network, field.model(), codec);
    const nlohmann::json subject = subject_of(field.model(), codec, *network);
    const std::filesystem::path folder = out_;
    const OutputFolder place(folder);
    SweepStore store(folder / "sweep.jsonl");
    const QualityMeter meter(network, comparison_, host);
    warn_of_few("samples", samples_, network->feature_count(), host);
    const std::optional<double> floor = meter.floor(samples_);
    if (floor) {
      std::cout << fmt::format("real data {:.3f}\n", *floor);
    }
    std::cout << fmt::format("{:>9} {:>7} {:>9}\n", "distance", "right", "evals");
    host.begin_stoppable_work();
    const auto key_at = [&](const GridPoint& point) {
      SweepSetting setting = at(axes, point);
      setting.descent = setting.descent.resolve(field.model().objective);
      return key_of(subject, setting);
    };
    const auto missing = std::ranges::count_if(
        points, [&](const GridPoint& point) { return store.find(key_at(point)) == nullptr; });
    std::vector<Measured> measured;
    int64_t drawn = 0;
    host.progress().begin("sweeping", missing * samples_, "samples");
    for (const GridPoint& point : points) {
      const std::string key = key_at(point);
      if (store.find(key) == nullptr) {
        const auto quality =
            measure(meter, field, codec, axes, point, [&](const EngineCounts& counts) {
              // Samples on their way count by the share of it that they have gone.
              host.progress().update(drawn + static_cast<int64_t>(counts.ways),
                                     fmt::format("point {} of {}: {}", measured.size() + 1,
                                                 points.size(), text_of(axes, point)));
              return !host.stop_requested();
            });
        if (!quality) break;
        drawn += samples_;
        store.add(key, *quality);
      }
      measured.push_back({point, *store.find(key)});
      const Quality& quality = measured.back().quality;
      std::cout << fmt::format("{:>9.3f} {:>7} {:>9.1f}  {}\n", quality.distance,
                               percent_text(quality.accuracy), quality.evaluations,
                               text_of(axes, point))
                << std::flush;
    }
    host.progress().end();
    if (host.stop_requested()) {
      host.log()->warn("interrupted: the same command goes on from here");
      return exit_code_of(interrupt_requested());
    }
    write_sweep(folder, axes, measured,
                {.samples = samples_, .features = network->feature_count(), .floor = floor});
    host.log()->info("wrote sweep.csv and charts to {}", out_);
    return 0;
  }

 private:
  std::optional<Quality> measure(const QualityMeter& meter, const LearnedField& field,
                                 const Codec& codec, const std::vector<Axis>& axes,
                                 const GridPoint& point,
                                 const std::function<bool(const EngineCounts&)>& go_on) const {
    const SweepSetting setting = at(axes, point);
    return meter.of(
        field, codec, setting.descent,
        {.samples = samples_, .seed = static_cast<uint64_t>(seed_), .guidance = setting.guidance},
        go_on);
  }

  SweepSetting at(const std::vector<Axis>& axes, const GridPoint& point) const {
    SweepSetting setting = {.descent = descent_, .guidance = guidance_};
    OptionSet options;
    setting.descent.declare(options);
    options.number("guidance", setting.guidance, Range::between(-1000, 1000), "");
    for (size_t i = 0; i < axes.size(); ++i) {
      options.set_text(axes[i].name, point[i]);
    }
    return setting;
  }

  // What all measurements depend on. Names of models are not enough: they may have been
  // trained on since.
  nlohmann::json subject_of(const Model& model, const Codec& codec,
                            const FeatureNet& network) const {
    return {{"model", fingerprint_of(*model.backbone)},
            {"autoencoder", codec.autoencoder() ? codec.autoencoder()->fingerprint() : 0},
            {"autoencoder-memory", codec.autoencoder() ? codec_.vae_memory_mb : 0},
            {"features", network.identity()},
            {"reference", comparison_.reference},
            {"reference-count", comparison_.reference_count},
            {"size", comparison_.size},
            {"samples", samples_},
            {"seed", seed_}};
  }

  static std::string key_of(nlohmann::json key, SweepSetting setting) {
    OptionSet options;
    setting.descent.declare(options);
    key["guidance"] = setting.guidance;
    for (const Option& option : options.options()) key[option.name] = to_text(option.get());
    return key.dump();
  }

  std::string model_ = "fashion-xs4";
  ComparisonOptions comparison_;
  std::string grid_, out_ = "out/sweep";
  int64_t samples_ = 1000, seed_ = 0;
  double guidance_ = 1;
  DescentOptions descent_;
  CodecOptions codec_;
  RuntimeOptions runtime_;
};

}  // namespace

std::unique_ptr<Verb> sweep_verb() {
  return std::make_unique<Sweep>();
}

}  // namespace eqm::cli
