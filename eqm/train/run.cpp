#include "eqm/train/run.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/folder_lock.h"
#include "eqm/train/batch_stream.h"
#include "eqm/train/ema.h"
#include "eqm/train/held_out.h"
#include "eqm/train/loop.h"
#include "eqm/train/preview.h"
#include "eqm/train/recorder.h"
#include "eqm/train/resume.h"
#include "eqm/train/setup.h"

namespace eqm {
namespace {

bool holds_a_run(const RunPaths& paths) {
  std::error_code code;
  return std::filesystem::exists(paths.config(), code) || code ||
         !find_checkpoints(paths.checkpoints()).empty();
}

// Says of an error of disk or data what became of the work.
Error reassured(const Error& error, const RunPaths& paths) {
  if (error.kind() != ErrorKind::io && error.kind() != ErrorKind::input) return error;
  std::vector<std::string> hints;
  if (!error.hint().empty()) hints.push_back(error.hint());
  if (error.kind() == ErrorKind::input) {
    hints.emplace_back("{skip-damaged} continues without damaged images");
  }
  if (!find_checkpoints(paths.checkpoints()).empty()) {
    hints.push_back(fmt::format(
        "checkpoints are intact: continue with {{resume}} and {{out}} {}{}", paths.folder.string(),
        error.kind() == ErrorKind::io ? ", here or in a copy on another disk" : ""));
  }
  return Error(error.kind(), error.what(), fmt::format("{}", fmt::join(hints, "; ")));
}

// An average that is mostly its start draws noise, however well the weights learn.
void warn_of_slow_average(const TrainOptions& options, Logger& log) {
  constexpr double kMuch = 0.1;
  const double left = weight_of_start(options.ema, options.steps);
  if (options.ema_warm_up || left <= kMuch) return;
  log.warn(
      "at the end {:.0f} % of the averaged weights, which samples and the held-out loss come from, "
      "will still be the initial ones ({{ema}} {}, {} steps): give {{ema-warm-up}} or a lower "
      "{{ema}}",
      100 * left, options.ema, options.steps);
}

// What the options ask for, then what the host adds.
std::vector<Measurement> measurements_of(const TrainOptions& options, const TrainingData& data,
                                         const RunHost& host) {
  constexpr int64_t kMostTogether = 256;  // held-out examples
  const auto seed = static_cast<uint64_t>(options.seed);
  std::vector<Measurement> all;
  if (data.held_out) {
    all.push_back(held_out_measurement(data.held_out, seed, std::min(options.batch, kMostTogether),
                                       host.runtime.tensors(), options.cadence.evaluate_every));
  }
  if (data.shape.size() == 3 && !is_classifier(options.objective.kind)) {
    all.push_back(preview_measurement({.per_class = options.cadence.preview,
                                       .seed = seed,
                                       .descent = options.descent,
                                       .labels = options.labels,
                                       .guidance = options.guidance,
                                       .go_on = [&host] { return !host.stop_requested(); }},
                                      options.cadence.sample_every));
  }
  all.insert(all.end(), host.measurements.begin(), host.measurements.end());
  return all;
}

// The loop and its recorder.
RunSummary train_and_record(const TrainOptions& options, const TrainingData& data,
                            TrainingState& state, Recorded recorded, const RunHost& host) {
  const Decisions decisions(options, host.stop_requested);
  BatchStream batches(options, data, state.model, state.step, host.runtime.tensors(), host.log);
  RunRecorder recorder(std::move(recorded), options, decisions, host, batches, data.codec, state);
  host.progress.begin("training", options.steps, "steps");
  host.progress.resume_at(state.step);
  try {
    recorder.start();
    run_loop(state, options, decisions,
             {.batch_at = [&](int64_t) { return batches.next(); },
              .after_step = [&](const StepReport& report) { recorder.after_step(report); },
              .runtime = host.runtime});
  } catch (const Error& error) {
    if (keeps_work_after(error)) recorder.keep_work();
    throw;
  }
  host.progress.end();
  return recorder.finish();
}

}  // namespace

RunSummary run_training(const TrainOptions& asked,
                        const std::function<std::string(const TrainOptions& resolved)>& config,
                        const RunPaths& paths, RunStart start, const RunHost& host) {
  asked.validate();
  const RuntimeScope scope(host.runtime);
  const TrainingData data =
      open_training_data(asked.data, asked.codec.open(host.runtime.tensors()));
  const TrainOptions options = asked.resolve(data.training->size());
  if (host.runtime.device.is_cpu()) {
    require_memory(least_memory(options, data),
                   "lower batch, width, depth or size, or raise accumulate");
  }
  const bool resumes = start == RunStart::resume && !find_checkpoints(paths.checkpoints()).empty();
  Model model = make_model(options, data, resumes ? ModelStart::as_built : ModelStart::as_asked);
  model.backbone->to(host.runtime.device, host.runtime.dtype);
  std::vector<Measurement> measurements = measurements_of(options, data, host);
  for (const Measurement& measurement : measurements) {
    if (measurement.validate) measurement.validate({.model = model, .codec = data.codec});
  }
  RunIdentity identity = identity_of(options, data, model);
  identity["autocast"] = host.runtime.autocast ? "bfloat16" : "none";
  if (data.held_out && !data.held_out_is_own) {
    host.log->info("the data have no test part: {} training examples are held out",
                   data.held_out->size());
  }
  const FolderLock lock(paths.folder);
  if (start == RunStart::fresh && holds_a_run(paths)) {
    throw Error(ErrorKind::usage, fmt::format("'{}' already holds a run", paths.folder.string()),
                "continue it with {resume}, or choose another {out}");
  }
  if (!resumes) warn_of_slow_average(options, *host.log);
  TrainingState state(std::move(model), options.adamw);
  std::vector<Checkpoint> damaged;
  if (start == RunStart::resume) {
    damaged = restore(state, paths, identity, options.steps, *host.log);
  }
  for (const auto& folder : {paths.folder, paths.checkpoints()}) sweep_temporaries(folder);
  for (const Measurement& measurement : measurements) {
    sweep_temporaries(paths.pictures(measurement.name));
  }
  try {
    return train_and_record(options, data, state,
                            {.paths = paths,
                             .config = config(options),
                             .identity = std::move(identity),
                             .damaged = std::move(damaged),
                             .measurements = std::move(measurements),
                             .examples = data.training->size()},
                            host);
  } catch (const Error& error) {
    host.progress.end();
    throw reassured(error, paths);
  }
}

}  // namespace eqm
