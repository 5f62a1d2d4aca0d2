#include "eqm/app/evaluate.h"

#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/app/evaluated_pictures.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/quality.h"
#include "eqm/app/unused_options.h"
#include "eqm/app/written_file.h"
#include "eqm/base/error.h"
#include "eqm/base/version.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/output_folder.h"
#include "eqm/io/png.h"

namespace eqm::app {
namespace {

void check_request(const EvaluateOptions& options) {
  const std::string& statistics = options.statistics;
  if (!options.model.empty() && !options.pictures.empty()) {
    throw Error(ErrorKind::usage, "a model and pictures were given to evaluate",
                "use either {model} FILE or {pictures} PATH");
  }
  if (options.model.empty() && options.pictures.empty() && statistics.empty()) {
    throw Error(ErrorKind::usage, "nothing was given to evaluate",
                "use {model} FILE or {pictures} PATH");
  }
  if (options.model.empty() && options.start.gamma > 0) {
    throw Error(ErrorKind::usage, "there are no samples that could start from images",
                "omit {gamma}, or give a {model} to sample");
  }
  if (options.save_pictures && statistics.empty()) {
    throw Error(ErrorKind::usage, "there is no file to save pictures in",
                "name one with {save-statistics} FILE.npz");
  }
  if (statistics.empty()) return;
  if (!statistics.ends_with(".npz")) {
    throw Error(ErrorKind::usage, fmt::format("'{}' does not end with .npz", statistics),
                "name the file statistics.npz, for instance");
  }
  for (const std::string& input : {options.comparison.reference, options.pictures}) {
    require_another_file(statistics, input);
  }
  const AtomicFile place(statistics);  // a bad one is refused before anything is looked at
}

// Nothing when the host asked for a stop.
std::optional<FeatureSet> features_in(const std::string& what, const FeatureNet& network,
                                      const Source& pictures, Host& host) {
  host.progress().begin("evaluating " + what, pictures.size(), "pictures");
  auto set = features_of(network, pictures, [&](int64_t done) {
    host.progress().update(done, "");
    return !host.stop_requested();
  });
  host.progress().end();
  if (set) warn_of_few(what, set->features.size(0), set->features.size(1), host);
  return set;
}

void save_statistics(const EvaluateOptions& options, const FeatureSet& real, const Source& pictures,
                     const FeatureNet& network, Host& host) {
  write_statistics(options.statistics,
                   {.features = moments_of(real.features),
                    .spatial = real.spatial,
                    .network = network.identity(),
                    .pictures = pictures.size()},
                   options.save_pictures ? &pictures : nullptr);
  host.wrote(options.statistics);
  host.log()->info("wrote the statistics of {} pictures to {}", pictures.size(),
                   options.statistics);
}

// Statistics of a file stand for those of its pictures, as in ADM's evaluator.
Reference reference_from(const ReferenceData& data, const std::optional<FeatureSet>& real,
                         const std::string& name, Host& host) {
  if (!data.statistics) return reference_of(*real);
  Reference reference = {.features = FrechetTarget(data.statistics->features)};
  if (data.statistics->spatial.count() > 0) reference.spatial.emplace(data.statistics->spatial);
  if (real) {
    reference.rows = real->features;
  } else {
    host.log()->info("{} has statistics only: no KID, precision, recall, density and coverage",
                     name);
  }
  return reference;
}

void warn_of_other_classes(const FeatureSet& set, const Source& samples, const FeatureNet& network,
                           Host& host) {
  if (set.asked.defined() || !set.labels.defined() || samples.class_names().empty()) return;
  host.log()->warn(
      "the classes of the pictures ({}, ...) are not those of the classifier ({}, ...): no "
      "class accuracy",
      samples.class_names().front(),
      network.class_names().empty() ? "0" : network.class_names().front());
}

// One evaluation while it runs: what it compares with, and what it has found.
class EvaluationRun {
 public:
  EvaluationRun(const EvaluateOptions& options, const FeatureNet& network,
                const ReferenceData& data, Host& host)
      : options_(options), network_(network), data_(data), host_(host) {}

  // Measures and writes; `rule` is how the samples came about, for the record. Stopped, it writes
  // nothing.
  EvaluateResult of(const SourcePtr& samples, const Reference& reference, const std::string& rule) {
    EvaluateResult result = {.distance = network_.picture_shape() ? "FD" : "FID"};
    const auto set = features_in("the samples", network_, *samples, host_);
    if (!set) return {.stopped = true};
    warn_of_other_classes(*set, *samples, network_, host_);
    EvaluationOptions how = options_.evaluation;
    how.seed = static_cast<uint64_t>(options_.seed);
    result.sets = {
        {options_.model.empty() ? "pictures" : "samples", evaluate(*set, reference, how)}};
    if (options_.floor) {
      for (const auto& [what, source] : ends_of_the_scale(options_, *samples, network_, host_)) {
        const auto other = features_in(what, network_, *source, host_);
        if (!other) return {.stopped = true};
        result.sets.push_back({what, evaluate(*other, reference, how)});
      }
    }
    const std::filesystem::path folder = options_.out;
    write_figures(folder / "evaluation.json", result.sets, rule);
    result.files.push_back((folder / "evaluation.json").string());
    if (!data_.pictures) {
      announce(host_, folder, {"evaluation.json"});
      return result;
    }
    write_png(
        folder / "evaluation.png",
        best_and_worst(samples, data_.pictures, nearest_features(set->features, reference.rows)),
        {{"Software", software_name()},
         {"Pictures", options_.model.empty() ? options_.pictures : options_.model},
         {"Reference", options_.comparison.reference}});
    result.files.push_back((folder / "evaluation.png").string());
    announce(host_, folder, {"evaluation.json", "evaluation.png"});
    return result;
  }

 private:
  void write_figures(const std::filesystem::path& path, const std::vector<EvaluatedSet>& sets,
                     const std::string& rule) const {
    const nlohmann::json figures = {
        {"model", options_.model},
        {"pictures", options_.pictures},
        {"rule", rule},
        {"labels", options_.labels},
        {"guidance", options_.guidance.scale},
        {"guided_channels", name_in(guided_channels_names(), options_.guidance.channels)},
        {"gamma", options_.start.gamma},
        {"seed", options_.seed},
        {"features", options_.comparison.features},
        {"network", network_.identity()},
        {"reference", options_.comparison.reference},
        {"reference_count", data_.statistics ? data_.statistics->pictures : data_.pictures->size()},
        {"sets", evaluation_json(sets)}};
    write_file(path, figures.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }

  const EvaluateOptions& options_;
  const FeatureNet& network_;
  const ReferenceData& data_;
  Host& host_;
};

}  // namespace

void EvaluateOptions::declare(OptionSet& options) {
  options.text("model", model, "the model to sample: a file, a run folder or a checkpoint");
  options.text("pictures", pictures, "pictures to evaluate in place of a model's samples");
  comparison.declare_with_size(options);
  options.count("samples", samples, Range::between(2, 1e7),
                "number of samples to draw, or maximum number of pictures");
  options.flag("floor", floor, "also measures held-out real pictures and pure noise");
  options.count("neighbours", evaluation.neighbours, Range::between(1, 100),
                "k of precision, recall, density and coverage");
  options.count(
      "manifold-count", evaluation.manifold_rows, Range::between(0, 1e7),
      "maximum number of pictures per set for these four; 0 for all, as in ADM's evaluator");
  options.count("resamplings", evaluation.resamplings, Range::between(0, 10000),
                "bootstrap resamplings for the range of the distance; 0 for none");
  options.count("seed", seed, Range::between(0, 9e15), "seed of the starting noise");
  options.text("labels", labels, kLabelsInTurnHelp);
  guidance.declare(options);
  start.declare(options);
  options.section("descent");
  descent.declare(options);
  options.section("output");
  options.text("out", out, "folder for evaluation.json and the picture of best and worst");
  options.text("save-statistics", statistics, "an .npz for the statistics of the reference");
  options.flag("save-pictures", save_pictures, "also writes its pictures into that file");
  codec.declare(options);
  runtime.declare(options);
}

EvaluateResult run(const EvaluateOptions& options, Host& host) {
  check_request(options);
  const Runtime runtime = make_runtime(options.runtime);
  const RuntimeScope scope(runtime);
  const torch::TensorOptions type = runtime.tensors();
  const FeatureNetPtr network = load_features(options.comparison, type);
  const ReferenceData data = open_reference(*network, options.comparison, host);
  if (!options.statistics.empty() && !data.pictures) {
    throw Error(ErrorKind::usage, "the reference has no pictures to make statistics of",
                "it holds statistics already; give the pictures they were made of");
  }
  std::optional<LearnedField> field;
  std::optional<Codec> codec;
  SourcePtr samples;
  std::string rule;
  if (!options.pictures.empty()) samples = given_pictures(options, *network, host);
  if (!options.model.empty()) {
    field.emplace(load_for(options.model, type));
    codec = options.codec.codec_of(field->model(), type);
    require_evaluable(options, *field, *codec, *network);
    rule = options.descent.resolve(field->model().objective).described();
    warn_of_unused(options.descent, field->model().objective, *host.log());
  }
  std::optional<OutputFolder> folder;
  if (samples || field) folder.emplace(options.out);
  host.begin_stoppable_work();
  double mean_evaluations = 0;
  if (field) {
    const DrawnPictures drawn = drawn_pictures(options, *field, *codec, host);
    samples = drawn.pictures;
    mean_evaluations = drawn.mean_evaluations;
  }
  if (host.stop_requested()) {
    host.log()->warn(
        "interrupted before anything was measured; to keep samples, draw them into an .npz first "
        "and give it as {pictures}");
    return {.stopped = true};
  }
  std::optional<FeatureSet> real;
  if (data.pictures) {
    real = features_in("the reference", *network, *data.pictures, host);
    if (!real) return {.stopped = true};
  }
  std::vector<std::string> files;
  if (!options.statistics.empty()) {
    save_statistics(options, *real, *data.pictures, *network, host);
    files.push_back(options.statistics);
  }
  if (!samples) return {.files = files};  // statistics were all that was asked for
  const Reference reference = reference_from(data, real, options.comparison.reference, host);
  EvaluateResult result = EvaluationRun(options, *network, data, host).of(samples, reference, rule);
  result.files.insert(result.files.begin(), files.begin(), files.end());
  result.mean_evaluations = mean_evaluations;
  return result;
}

std::string text_of(const EvaluateResult& result) {
  if (result.stopped || result.sets.empty()) return {};
  return evaluation_table(result.sets, result.distance);
}

}  // namespace eqm::app
