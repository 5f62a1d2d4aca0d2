#include "eqm/train/recorder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/png.h"
#include "eqm/train/resume.h"

namespace eqm {

RunRecorder::RunRecorder(Recorded recorded, const TrainOptions& options, const Decisions& decisions,
                         const RunHost& host, const BatchStream& batches, const Codec& codec,
                         TrainingState& state)
    : recorded_(std::move(recorded)),
      options_(options),
      decisions_(decisions),
      host_(host),
      batches_(batches),
      codec_(codec),
      state_(state),
      first_(state.step),
      pace_(options.batch, host.processor_use, host.log) {}

void RunRecorder::open() {
  if (metrics_) return;
  for (const Checkpoint& checkpoint : recorded_.damaged) {
    const std::string aside = set_aside(checkpoint).filename().string();
    host_.log->warn("keeping the damaged {} as {}", step_name(checkpoint.step), aside);
  }
  write_file(recorded_.paths.config(), recorded_.config);
  metrics_.emplace(recorded_.paths, first_);
  for (const Measurement& measurement : recorded_.measurements) {
    remove_later_pictures(recorded_.paths, measurement.name, first_);
  }
}

void RunRecorder::start() {
  make_up();
  pace_.start();
}

void RunRecorder::make_up() {
  if (state_.step == 0) return;
  std::vector<const Measurement*> owed;
  for (const Measurement& measurement : recorded_.measurements) {
    const bool wanted = decisions_.is_wanted(state_.step, measurement.every);
    if (wanted && !is_recorded(measurement)) owed.push_back(&measurement);
  }
  if (owed.empty() || decisions_.stop_requested()) return;
  open();
  for (const Measurement* measurement : owed) record(*measurement);
}

void RunRecorder::after_step(const StepReport& report) {
  open();
  pace_.add_step();
  if (decisions_.log_now(state_.step)) log(report);
  pace_.beside([this] {
    // Work is made safe first. Whatever keeps the rest from being done, make_up() does it on
    // resume.
    if (decisions_.checkpoint_now(state_.step)) checkpoint();
    if (!decisions_.time_to_measure(state_.step)) return;
    for (const Measurement& measurement : recorded_.measurements) {
      if (decisions_.is_wanted(state_.step, measurement.every)) record(measurement);
    }
  });
  host_.progress.update(
      state_.step, fmt::format("loss {:.4g} · epoch {:.2f} of {:.2f}{}", state_.losses.shown().loss,
                               epochs_of(state_.step), epochs_of(options_.steps), note_));
}

void RunRecorder::log(const StepReport& report) {
  const Pace::Line pace = pace_.close(batches_.waited_seconds());
  const LossMeans& means = state_.losses.close();
  MetricValues values = {{"loss", means.loss},
                         {"gradient_norm", means.gradient_norm},
                         {"lr", report.lr},
                         {"images_per_second", pace.images_per_second},
                         {"data_share", pace.data_share}};
  if (pace.processor_wait) values.emplace_back("processor_wait", *pace.processor_wait);
  metrics_->write(state_.step, values);
  note_ = fmt::format(" · {:.1f} images/s · data {:.1f} %", pace.images_per_second,
                      100 * pace.data_share);
}

bool RunRecorder::is_recorded(const Measurement& measurement) const {
  std::error_code ignored;
  return is_logged(recorded_.paths, measurement.name, state_.step) ||
         std::filesystem::exists(recorded_.paths.picture(measurement.name, state_.step), ignored);
}

void RunRecorder::record(const Measurement& measurement) {
  const auto measured =
      measurement.measure({.model = state_.averaged(), .codec = codec_, .step = state_.step});
  if (!measured) return;
  for (const auto& [name, value] : measured->values) latest_[name] = value;
  if (!measured->values.empty()) metrics_->write(state_.step, measured->values);
  if (!measured->picture) return;
  create_folder(recorded_.paths.pictures(measurement.name));
  // First for TensorBoard: the file says that all is done.
  metrics_->image(state_.step, measurement.name, *measured->picture);
  write_png(recorded_.paths.picture(measurement.name, state_.step), *measured->picture,
            {{"Software", "eqm"},
             {"Step", std::to_string(state_.step)},
             {"Seed", std::to_string(options_.seed)},
             {"Objective", name_of(options_.objective.kind)}});
}

void RunRecorder::checkpoint() {
  metrics_->flush();
  save_checkpoint(recorded_.paths.checkpoints(), state_, recorded_.identity);
  prune_checkpoints(recorded_.paths.checkpoints(), options_.cadence.keep_last,
                    options_.cadence.keep_every);
}

void RunRecorder::keep_work() noexcept {
  if (!metrics_) return;  // there is none yet
  try {
    checkpoint();
  } catch (const std::exception&) {
    // The error that led here says more.
  }
}

RunSummary RunRecorder::finish() {
  open();
  checkpoint();
  save_model(state_.averaged(), recorded_.paths.model());
  const double seconds = pace_.seconds(), divisor = std::max(1e-9, seconds);
  return {
      .steps = state_.step,
      .planned = options_.steps,
      .epochs = epochs_of(state_.step),
      .finished = decisions_.is_complete(state_.step),
      .loss = state_.losses.shown(),
      .held_out_loss = latest("held_out_loss"),
      .held_out_accuracy = latest("held_out_accuracy"),
      .seconds = seconds,
      .images_per_second = static_cast<double>((state_.step - first_) * options_.batch) / divisor,
      .data_share = batches_.waited_seconds() / divisor,
      .skipped = batches_.skipped()};
}

double RunRecorder::epochs_of(int64_t steps) const {
  return static_cast<double>(steps) * static_cast<double>(options_.batch) /
         static_cast<double>(recorded_.examples);
}

std::optional<double> RunRecorder::latest(const std::string& metric) const {
  const auto found = latest_.find(metric);
  return found == latest_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace eqm
