#include "eqm/app/sample.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/app/beside.h"
#include "eqm/app/cut_short.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/sampled_landscape.h"
#include "eqm/app/sampling_progress.h"
#include "eqm/app/unused_options.h"
#include "eqm/base/error.h"
#include "eqm/base/version.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/output_folder.h"

namespace eqm::app {
namespace {

void require_sound_files(const SampleOptions& options, const SampleSink* sink) {
  const OutputChoice& files = options.files;
  files.validate();
  if (!options.out.empty()) return;
  const bool wanted = !files.npz.empty() || files.class_folders || files.trace || files.animate ||
                      files.histogram || !options.beside.empty();
  if (sink == nullptr || wanted) {
    throw Error(ErrorKind::usage, "no folder for the samples was given", "give one by {out}");
  }
}

void require_plain_rows(const SampleOptions& options) {
  if (options.rows.mix.empty()) return;
  throw Error(ErrorKind::usage, "a mix of classes cannot be drawn beside another model",
              "omit {mix}, or {beside}");
}

SamplingPlan plan_of(const SampleOptions& options, const Model& model, const Codec& codec,
                     const std::vector<SamplingRow>& rows) {
  const auto classes = static_cast<int64_t>(rows.size());
  const int64_t count = options.count > 0 ? options.count : options.per_class * classes;
  SamplingPlan plan = {.model = model, .codec = codec, .layout = {.rows = classes, .count = count}};
  for (const SamplingRow& row : rows) {
    plan.row_names.push_back(row.name);
    if (row.label) plan.labels.push_back(*row.label);
  }
  if (rows.size() == 1 && rows[0].name.empty()) plan.row_names.clear();
  if (options.files.class_folders && plan.labels.empty()) {
    throw Error(ErrorKind::usage, "there are no classes to make folders for",
                "class folders need a model with classes, and {labels} in place of {mix}");
  }
  return plan;
}

void warn_of_old_pictures(const SampleOptions& options, Logger& log) {
  const std::filesystem::path folder = std::filesystem::path(options.out) / "pictures";
  std::error_code ignored;
  if (!options.files.pictures || !std::filesystem::is_directory(folder, ignored)) return;
  if (std::filesystem::is_empty(folder, ignored)) return;
  log.warn(
      "{} holds pictures of an earlier run: those with numbers that this one does not draw stay",
      folder.string());
}

// Figures of an earlier run that this one did not write show other samples than the grid.
void remove_outdated(const std::filesystem::path& out, const std::vector<std::string>& written,
                     Logger& log) {
  std::vector<std::string> removed;
  for (const std::string& name : figures_of_samples()) {
    std::error_code ignored;
    if (std::ranges::find(written, name) == written.end() &&
        std::filesystem::remove(out / name, ignored)) {
      removed.push_back(name);
    }
  }
  if (!removed.empty()) log.info("removed {} of an earlier run", fmt::join(removed, ", "));
}

// What made a picture, for its text chunks.
PngText sample_origin(const SampleOptions& options, const SampledLandscape& landscape) {
  const SamplingRowsOptions& rows = options.rows;
  const DescentOptions descent =
      options.beside.empty() ? options.descent : descent_beside(options.descent);
  return {{"Software", software_name()},
          {"Model", landscape.model_name},
          {"Seed", std::to_string(options.seed)},
          {"Rule", descent.resolve(landscape.objective).described()},
          {"Guidance", rows.mix.empty() ? rows.guidance.described() : rows.mix}};
}

// Draws all, or as many as there is time for.
void draw_samples(const SampledLandscape& landscape, SamplingSpec& job,
                  const std::vector<SampleSink*>& sinks, SampleResult& result, Host& host) {
  host.begin_stoppable_work();
  SamplingProgress progress(host.progress(), "sampling", job.count,
                            job.descent.resolve(landscape.objective));
  job.watch = [&](int64_t sample, const Sight& sight) {
    for (SampleSink* sink : sinks) sink->watch(sample, sight);
  };
  job.done = [&](int64_t sample, const Outcome& outcome) {
    result.tally.add(outcome.record);
    for (SampleSink* sink : sinks) sink->add(sample, outcome);
  };
  job.go_on = [&](const EngineCounts& counts) {
    progress.update(counts);
    return !host.stop_requested();
  };
  const EngineCounts counts = run_sampling(*landscape.field, states_of_model(landscape.model), job);
  progress.end();
  host.log()->debug("{} rows in {} batches", counts.rows, counts.ticks);
  result.stopped = result.tally.finished < job.count && host.stop_requested();
}

// `where` says what shows the unfinished ones.
void warn_of_unfinished(const SampleResult& result, const std::string& where, Logger& log) {
  log.warn("interrupted: {} of {} samples are done; {} unfinished ones are marked 'cancelled'{}",
           result.tally.finished, result.asked, result.tally.count_of(DescentStatus::cancelled),
           where);
}

void finish_files(const SampleOptions& options, SampleOutput& output, bool earlier,
                  SampleResult& result, Host& host) {
  Logger& log = *host.log();
  for (const std::string& name : output.finish()) result.files.push_back(name);
  announce(host, options.out, result.files);
  if (earlier) remove_outdated(options.out, result.files, log);
  result.npz_samples = output.npz_samples();
  if (result.npz_samples > 0) {
    host.wrote(options.files.npz);
    log.info("wrote {} samples to {}", result.npz_samples, options.files.npz);
  }
}

}  // namespace

void SampleOptions::declare(OptionSet& options) {
  options.text("model", model, kModelHelp);
  rows.declare(options);
  options.count("per-class", per_class, Range::between(1, 1e9), "samples of each class");
  options.count("count", count, Range::between(0, 1e9),
                "total number of samples, of all classes in turn, in place of {per-class}; "
                "0 uses {per-class}");
  options.count("seed", seed, Range::between(0, 9e15), "seed of the starting noise");
  options.section("descent");
  descent.declare(options);
  options.text("beside", beside,
               "another model, drawn from the same noise in the same steps: beside.png");
  options.section("output");
  options.text("out", out, "folder for the grid and the pictures");
  files.declare(options);
  options.count("rows", capacity, Range::between(0, 100000),
                "samples computed at once; 0 chooses by their size");
  codec.declare(options);
  runtime.declare(options);
}

SampleResult run(const SampleOptions& options, Host& host, SampleSink* sink) {
  const Runtime runtime = make_runtime(options.runtime);
  const RuntimeScope scope(runtime);
  const torch::TensorOptions type = runtime.tensors();
  Logger& log = *host.log();
  const SampledLandscape landscape = open_landscape(
      options.model, options.rows,
      options.count > 0 ? UnnamedClasses::all : UnnamedClasses::first_ten, type, log);
  const Model& model = landscape.model;
  const std::vector<SamplingRow>& rows = landscape.rows;
  const Codec codec = options.codec.codec_of(model, type);
  require_sound_files(options, sink);
  const SamplingPlan plan = plan_of(options, model, codec, rows);
  SamplingSpec job = {
      .count = plan.layout.count,
      .seed = static_cast<uint64_t>(options.seed),
      .descent = options.beside.empty() ? options.descent : descent_beside(options.descent),
      .capacity = options.capacity,
      .delivery = Delivery::consumer_thread};
  job.terms = [&](int64_t i) { return rows[static_cast<size_t>(plan.layout.row_of(i))].terms; };
  job.own_descent = make_descent(job.descent, landscape.objective);  // refuses before all writing
  warn_of_unused(job.descent, landscape.objective, log);
  for (const SamplingRow& row : rows) check_terms(*landscape.field, row.terms);

  std::optional<Beside> beside;
  if (!options.beside.empty()) {
    require_plain_rows(options);
    beside.emplace(options.beside, plan, job.descent, options.codec, type);
  }

  const std::filesystem::path out = options.out;
  std::optional<OutputFolder> folder;
  std::optional<SampleOutput> output;
  std::vector<SampleSink*> sinks;
  bool earlier = false;
  if (!out.empty()) {
    folder.emplace(out);
    earlier = std::filesystem::exists(out / "samples.jsonl");
    warn_of_old_pictures(options, log);
    sinks.push_back(&output.emplace(out, plan, sample_origin(options, landscape), options.files));
    if (makes_latents(model) && !codec.has_autoencoder()) {
      log.warn("the samples are latents, drawn by their first channels; {}",
               where_autoencoders_come_from());
    }
  }
  if (sink != nullptr) sinks.push_back(sink);
  if (beside) sinks.push_back(&beside->strip());
  for (SampleSink* one : sinks) one->begin(plan);

  SampleResult result;
  result.asked = job.count;
  draw_samples(landscape, job, sinks, result, host);
  if (result.stopped) {
    warn_of_unfinished(result, output ? ", in samples.jsonl and the grid only" : "", log);
  }
  if (result.stopped && earlier && result.tally.finished == 0) {
    log.info("the results of an earlier run in {} stay as they are", options.out);
    result.kept_earlier = true;
    return result;
  }
  const int64_t lost = result.tally.count_of(DescentStatus::diverged);
  if (lost > 0 && lost < job.count) {
    log.warn("{} of {} samples diverged: lower {{eta}} or raise {{limit}}", lost, job.count);
  }
  warn_of_cut_short(job.descent, landscape.objective, result.tally.count_of(DescentStatus::limit),
                    job.count, log);
  if (beside && !result.stopped) {
    result.stopped = !beside->draw(rows, job.seed, host);
    if (!result.stopped) {
      write_png(out / "beside.png", beside->picture(landscape.model_name),
                sample_origin(options, landscape));
      result.files.emplace_back("beside.png");
    }
  }
  if (output) finish_files(options, *output, earlier, result, host);
  return result;
}

void require_some_sound(const SampleResult& result) {
  if (result.stopped || result.tally.count_of(DescentStatus::diverged) < result.asked) return;
  throw Error(ErrorKind::numeric, "every sample diverged",
              "take smaller steps ({eta}, {limit}), looser tolerances or smaller weights; are the "
              "model's weights sound?");
}

}  // namespace eqm::app
