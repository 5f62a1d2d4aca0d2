#include "eqm/app/train.h"

#include <vector>

#include "eqm/app/shipped.h"
#include "eqm/app/training_quality.h"
#include "eqm/base/toml.h"

namespace eqm::app {
namespace {

std::vector<Measurement> measurements(const TrainingOptions& options,
                                      const torch::TensorOptions& type, Host& host) {
  const TrainOptions& training = options.training;
  if (training.cadence.quality_every == 0) return {};
  ComparisonOptions comparison = options.comparison;
  if (comparison.reference.empty()) comparison.reference = training.data.data;
  comparison.size = training.data.size;
  const FeatureNetPtr network = load_features(comparison, type);
  warn_of_few("{quality-samples}", options.quality_samples, network->feature_count(), host);
  return {quality_measurement(QualityMeter(network, comparison, host), training.descent,
                              {.samples = options.quality_samples,
                               .seed = static_cast<uint64_t>(training.seed),
                               .labels = training.labels,
                               .guidance = training.guidance},
                              training.cadence.quality_every, host)};
}

// What the folder keeps: the options with epochs as steps, of a run that is not resumed.
std::string run_config(TrainingOptions options, const TrainOptions& resolved) {
  options.resume = false;
  options.training.steps = resolved.steps;
  options.training.epochs = resolved.epochs;
  OptionSet set;
  options.declare(set);
  return to_toml(set);
}

}  // namespace

void TrainingOptions::declare(OptionSet& options) {
  training.declare(options);
  options.section("quality");
  comparison.declare(options);
  options.count("quality-samples", quality_samples, Range::between(2, 1e7),
                "samples per measurement, drawn as previews are");
  options.section("output");
  options.text("out", out, "folder of the run");
  options.flag("resume", resume, "resumes the run in that folder, with its own options");
  runtime.declare(options);
}

TrainingResult run(const TrainingOptions& asked, Host& host) {
  TrainingOptions options = asked;
  if (!options.resume) {  // on record as a path: names depend on where the program is
    std::string& init = options.training.model.init;
    init = find_shipped(ShippedKind::model, init).string();
  }
  const Runtime runtime = make_runtime(options.runtime, Bfloat16::useful);
  const RuntimeScope scope(runtime);
  if (runtime.autocast && runtime.device.is_cpu()) {
    host.log()->warn("bfloat16 is slow on most processors; float32 is likely faster here");
  }
  host.begin_stoppable_work();
  const RunHost run_host = {.log = host.log(),
                            .progress = host.progress(),
                            .stop_requested = [&host] { return host.stop_requested(); },
                            .runtime = runtime,
                            .measurements = measurements(options, runtime.tensors(), host)};
  const auto config = [&](const TrainOptions& resolved) { return run_config(options, resolved); };
  const RunPaths paths = {.folder = options.out};
  const RunSummary summary =
      run_training(options.training, config, paths,
                   options.resume ? RunStart::resume : RunStart::fresh, run_host);
  host.wrote(paths.model());
  return {.summary = summary, .model = paths.model().string(), .stopped = !summary.finished};
}

}  // namespace eqm::app
