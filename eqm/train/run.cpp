#include "eqm/train/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/data/loader.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/folder_lock.h"
#include "eqm/io/png.h"
#include "eqm/tensor/runtime.h"
#include "eqm/train/checkpoint.h"
#include "eqm/train/ema.h"
#include "eqm/train/held_out.h"
#include "eqm/train/preview.h"
#include "eqm/train/resume.h"
#include "eqm/train/setup.h"
#include "eqm/train/starvation.h"
#include "eqm/train/training_batch.h"

namespace eqm {
namespace {

using Timer = std::chrono::steady_clock;

double seconds_since(Timer::time_point start) {
  return std::chrono::duration<double>(Timer::now() - start).count();
}

bool due(int64_t step, int64_t every) {
  return every > 0 && step % every == 0;
}

// The time since the last line of metrics.
struct Window {
  Timer::time_point start = Timer::now();
  double waited = 0;                     // the loader's total at the start
  int64_t steps = 0;                     // of this process
  std::optional<ProcessorUse> use = {};  // at the start
};

class Run {
 public:
  // `config` is what the folder keeps of the options.
  Run(const TrainOptions& options, std::string config, const RunPaths& paths, const RunHost& host,
      TrainingData data, TrainingState state, RunIdentity identity,
      std::vector<Checkpoint> damaged);

  RunSummary go();

 private:
  void open_record();
  std::vector<TrainingBatch> next_parts();
  void after_step(const StepReport& report);
  void log(const StepReport& report);
  void evaluate();
  void preview();
  void measure_quality();
  bool is_last() const { return state_.step == options_.steps; }
  bool wants(int64_t every) const;
  bool wants_evaluation() const { return data_.held_out && wants(options_.cadence.evaluate_every); }
  bool wants_preview() const { return draws_pictures() && wants(options_.cadence.sample_every); }
  bool wants_quality() const {
    return host_.quality != nullptr && wants(options_.cadence.quality_every);
  }
  void make_up();
  // Passes over the data that so many steps are.
  double epochs_of(int64_t steps) const {
    return static_cast<double>(steps) * static_cast<double>(options_.batch) /
           static_cast<double>(data_.training->size());
  }
  void checkpoint();
  void keep_work();
  bool draws_pictures() const {
    return data_.shape.size() == 3 && !is_classifier(options_.objective.kind);
  }

  const TrainOptions& options_;
  std::string config_;
  const RunPaths& paths_;
  const RunHost& host_;
  TrainingData data_;
  TrainingState state_;
  int64_t first_;  // steps that were done before
  RunIdentity identity_;
  std::vector<Checkpoint> damaged_;  // of steps that will be taken again
  Loader loader_;
  // Not before there is something to keep: what is refused until then leaves no trace.
  std::optional<MetricsLog> metrics_;
  Randomness randomness_;
  Window window_;
  StarvationWatch starvation_{usable_processors(), at::get_num_threads()};
  RunSummary summary_;
  std::string note_;
};

LoaderOptions loader_options(const TrainOptions& options) {
  return {.batch = options.batch,
          .seed = static_cast<uint64_t>(options.seed),
          .threads = options.data.loader_threads,
          .flip = options.data.flip,
          .bad_examples = options.data.skip_damaged ? BadExamples::skip : BadExamples::stop};
}

bool hides_labels(const Model& model) {
  return model.backbone->null_label() >= 0;
}

Run::Run(const TrainOptions& options, std::string config, const RunPaths& paths,
         const RunHost& host, TrainingData data, TrainingState state, RunIdentity identity,
         std::vector<Checkpoint> damaged)
    : options_(options),
      config_(std::move(config)),
      paths_(paths),
      host_(host),
      data_(std::move(data)),
      state_(std::move(state)),
      first_(state_.step),
      identity_(std::move(identity)),
      damaged_(std::move(damaged)),
      loader_(data_.training, loader_options(options), state_.step, host.log),
      randomness_({.seed = static_cast<uint64_t>(options.seed),
                   .label_dropout = hides_labels(state_.model) ? options.model.label_dropout : 0,
                   .null_label = state_.model.backbone->null_label()}) {}

void Run::open_record() {
  if (metrics_) return;
  for (const Checkpoint& checkpoint : damaged_) {
    const std::string aside = set_aside(checkpoint).filename().string();
    host_.log->warn("keeping the damaged {} as {}", step_name(checkpoint.step), aside);
  }
  write_file(paths_.config(), config_);
  metrics_.emplace(paths_, first_);
  remove_later_pictures(paths_, first_);
}

std::vector<TrainingBatch> Run::next_parts() {
  const Batch batch = loader_.next();
  const TrainingBatch whole = make_training_batch(batch, data_.codec(), randomness_,
                                                  state_.step * options_.batch, host_.type);
  if (options_.accumulate == 1) return {whole};
  std::vector<TrainingBatch> parts;
  const int64_t rows = options_.batch / options_.accumulate;
  for (int64_t first = 0; first < options_.batch; first += rows) {
    const auto some = [&](const Tensor& tensor) {
      return tensor.defined() ? tensor.narrow(0, first, rows) : tensor;
    };
    parts.push_back({.x = some(whole.x),
                     .noise = some(whole.noise),
                     .gamma = some(whole.gamma),
                     .labels = some(whole.labels),
                     .dropout = some(whole.dropout)});
  }
  return parts;
}

void Run::log(const StepReport& report) {
  const double seconds = std::max(1e-9, seconds_since(window_.start));
  const double rate = static_cast<double>(window_.steps * options_.batch) / seconds;
  const double share = (loader_.waited_seconds() - window_.waited) / seconds;
  const LossMeans& means = state_.losses.close();
  MetricValues values = {{"loss", means.loss},
                         {"gradient_norm", means.gradient_norm},
                         {"lr", report.lr},
                         {"images_per_second", rate},
                         {"data_share", share}};
  const std::optional<ProcessorUse> use = host_.processor_use();
  if (use) {
    const auto waited = window_.use ? waiting_share(*window_.use, *use) : std::nullopt;
    if (waited) values.emplace_back("processor_wait", *waited);
    if (const auto warning = starvation_.add(*use)) host_.log->warn("{}", *warning);
  }
  metrics_->write(state_.step, values);
  note_ = fmt::format(" · {:.1f} images/s · data {:.1f} %", rate, 100 * share);
  window_ = {.start = Timer::now(), .waited = loader_.waited_seconds(), .use = use};
}

void Run::evaluate() {
  const HeldOutLoss held_out =
      held_out_loss(state_.averaged(), *data_.held_out, static_cast<uint64_t>(options_.seed),
                    std::min<int64_t>(options_.batch, 256), host_.type, data_.autoencoder);
  summary_.held_out_loss = held_out.mean;
  summary_.held_out_accuracy = held_out.accuracy;
  std::vector<std::pair<std::string, double>> values = {{"held_out_loss", held_out.mean}};
  if (held_out.accuracy) values.emplace_back("held_out_accuracy", *held_out.accuracy);
  for (size_t i = 0; i < held_out.by_gamma.size(); ++i) {
    if (std::isnan(held_out.by_gamma[i])) continue;
    values.emplace_back(fmt::format("held_out_loss/gamma_0.{}", i), held_out.by_gamma[i]);
  }
  metrics_->write(state_.step, values);
}

void Run::preview() {
  const std::optional<Image> grid = draw_preview(state_.averaged(),
                                                 {.per_class = options_.cadence.preview,
                                                  .seed = static_cast<uint64_t>(options_.seed),
                                                  .descent = options_.descent,
                                                  .go_on = [&] { return !host_.stop_requested(); },
                                                  .autoencoder = data_.autoencoder},
                                                 fmt::format("step {}", state_.step));
  if (!grid) return;
  create_folder(paths_.samples());
  metrics_->image(state_.step, "samples", *grid);  // first: the file says that all is done
  write_png(paths_.picture(state_.step), *grid,
            {{"Software", "eqm"},
             {"Step", std::to_string(state_.step)},
             {"Seed", std::to_string(options_.seed)},
             {"Objective", name_of(options_.objective.kind)}});
}

void Run::measure_quality() {
  if (const auto values = host_.quality->measure(state_.averaged(), data_.codec())) {
    metrics_->write(state_.step, *values);
  }
}

void Run::checkpoint() {
  metrics_->flush();
  save_checkpoint(paths_.checkpoints(), state_, identity_);
  prune_checkpoints(paths_.checkpoints(), options_.cadence.keep_last, options_.cadence.keep_every);
}

void Run::keep_work() {
  if (!metrics_) return;  // there is none yet
  try {
    checkpoint();
  } catch (const Error&) {
    // The error that led here tells more.
  }
}

void Run::after_step(const StepReport& report) {
  open_record();
  ++window_.steps;
  if (due(state_.step, options_.cadence.log_every) || is_last()) log(report);
  const auto before = Timer::now();
  // Work is made safe first. Whatever keeps the rest from being done, make_up() does it on resume.
  if (due(state_.step, options_.cadence.checkpoint_every) || is_last()) checkpoint();
  // People who ask for a stop do not wait for pictures; a run that is complete anyway gets its
  // last.
  if (!host_.stop_requested() || is_last()) {
    if (wants_evaluation()) evaluate();
    if (wants_preview()) preview();
    if (wants_quality()) measure_quality();
  }
  window_.start += Timer::now() - before;  // rates are those of training alone
  host_.progress.update(
      state_.step, fmt::format("loss {:.4g} · epoch {:.2f} of {:.2f}{}", state_.losses.shown().loss,
                               epochs_of(state_.step), epochs_of(options_.steps), note_));
}

bool Run::wants(int64_t every) const {
  return every > 0 && (due(state_.step, every) || is_last());
}

// What the step of the checkpoint still owes: the run before was stopped or killed between the two.
void Run::make_up() {
  if (state_.step == 0) return;
  const auto has = [this](const std::string& metric) {
    return is_logged(paths_, metric, state_.step);
  };
  std::error_code ignored;
  const bool evaluation = wants_evaluation() && !has("held_out_loss");
  const bool picture =
      wants_preview() && !std::filesystem::exists(paths_.picture(state_.step), ignored);
  const bool quality = wants_quality() && !has(host_.quality->metric());
  if ((!evaluation && !picture && !quality) || host_.stop_requested()) return;
  open_record();
  if (evaluation) evaluate();
  if (picture) preview();
  if (quality) measure_quality();
}

RunSummary Run::go() {
  const auto start = Timer::now();
  host_.progress.begin("training", options_.steps, "steps");
  host_.progress.resume_at(first_);
  try {
    make_up();
    window_ = {.use = host_.processor_use()};
    if (window_.use) starvation_.add(*window_.use);
    while (state_.step < options_.steps && !host_.stop_requested()) {
      after_step(train_step(state_, options_, next_parts(), host_.autocast));
    }
  } catch (const Error& error) {
    // Whatever is wrong with data or disk, the state is that of the last step: keep it if possible.
    if (error.kind() != ErrorKind::numeric) keep_work();
    throw;
  }
  host_.progress.end();
  open_record();
  checkpoint();
  save_model(state_.averaged(), paths_.model());
  summary_.steps = state_.step;
  summary_.planned = options_.steps;
  summary_.epochs = epochs_of(state_.step);
  summary_.finished = state_.step >= options_.steps;
  summary_.loss = state_.losses.shown();
  summary_.seconds = seconds_since(start);
  summary_.images_per_second = static_cast<double>((state_.step - first_) * options_.batch) /
                               std::max(1e-9, summary_.seconds);
  summary_.data_share = loader_.waited_seconds() / std::max(1e-9, summary_.seconds);
  summary_.skipped = loader_.skipped();
  return summary_;
}

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

}  // namespace

RunSummary run_training(const TrainOptions& asked,
                        const std::function<std::string(const TrainOptions& resolved)>& config,
                        const RunPaths& paths, RunStart start, const RunHost& host) {
  asked.check();
  TrainingData data = open_training_data(asked.data, asked.codec.open(host.type));
  const TrainOptions options = asked.resolved(data.training->size());
  if (host.type.device().is_cpu()) {
    require_memory(least_memory(options, data),
                   "lower batch, width, depth or size, or raise accumulate");
  }
  const bool goes_on = start == RunStart::resume && !find_checkpoints(paths.checkpoints()).empty();
  Model model = make_model(options, data, goes_on ? ModelStart::as_built : ModelStart::as_asked);
  model.backbone->to(host.type.device(), torch::typeMetaToScalarType(host.type.dtype()));
  if (host.quality != nullptr) host.quality->check(model, data.codec());
  RunIdentity identity = identity_of(options, data, model);
  identity["autocast"] = host.autocast ? "bfloat16" : "none";
  if (data.held_out && !data.held_out_is_own) {
    host.log->info("the data have no test part: judging by {} examples kept aside",
                   data.held_out->size());
  }
  const FolderLock lock(paths.folder);
  if (start == RunStart::fresh && holds_a_run(paths)) {
    throw Error(ErrorKind::usage, fmt::format("'{}' already holds a run", paths.folder.string()),
                "continue it with {resume}, or choose another {out}");
  }
  if (!goes_on) warn_of_slow_average(options, *host.log);
  TrainingState state(std::move(model), options.adamw);
  std::vector<Checkpoint> damaged;
  if (start == RunStart::resume) {
    damaged = restore(state, paths, identity, options.steps, *host.log);
  }
  for (const auto& folder : {paths.folder, paths.checkpoints(), paths.samples()}) {
    sweep_temporaries(folder);
  }
  try {
    Run run(options, config(options), paths, host, std::move(data), std::move(state),
            std::move(identity), std::move(damaged));
    return run.go();
  } catch (const Error& error) {
    host.progress.end();
    throw reassured(error, paths);
  }
}

}  // namespace eqm
