#include "eqm/app/evaluate.h"

#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/app/evaluated_pictures.h"
#include "eqm/app/model_lookup.h"
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
  host.progress().begin("judging " + what, pictures.size(), "pictures");
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
      host_.log()->info("wrote evaluation.json to {}", options_.out);
      return result;
    }
    write_png(
        folder / "evaluation.png",
        best_and_worst(samples, data_.pictures, nearest_features(set->features, reference.rows)),
        {{"Software", software_name()},
         {"Pictures", options_.model.empty() ? options_.pictures : options_.model},
         {"Reference", options_.comparison.reference}});
    result.files.push_back((folder / "evaluation.png").string());
    host_.log()->info("wrote evaluation.json and evaluation.png to {}", options_.out);
    return result;
  }

 private:
  void write_figures(const std::filesystem::path& path, const std::vector<EvaluatedSet>& sets,
                     const std::string& rule) const {
    const nlohmann::json figures = {
        {"model", options_.model},
        {"pictures", options_.pictures},
        {"rule", rule},
        {"guidance", options_.guidance},
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
  options.text("pictures", pictures, "pictures to judge in place of a model's samples");
  comparison.declare_with_size(options);
  options.count("samples", samples, Range::between(2, 1e7), "samples drawn, or pictures at most");
  options.flag("floor", floor, "also tells the numbers of real pictures and of noise");
  options.count("neighbours", evaluation.neighbours, Range::between(1, 100),
                "k of precision, recall, density and coverage");
  options.count("manifold-count", evaluation.manifold_rows, Range::between(0, 1e7),
                "pictures of each set at most for these four; 0 for all, as ADM's evaluator");
  options.count("resamplings", evaluation.resamplings, Range::between(0, 10000),
                "for the range of the distance; 0 for none");
  options.count("seed", seed, Range::between(0, 9e15), "where samples start");
  options.number("guidance", guidance, Range::between(-1000, 1000),
                 "scale of classifier-free guidance; 1 for none");
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
  if (field) samples = drawn_pictures(options, *field, *codec, host);
  if (host.stop_requested()) {
    host.log()->warn(
        "interrupted before anything was measured; samples of `eqm sample {npz}` are kept, and "
        "{pictures} measures them");
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
  return result;
}

}  // namespace eqm::app
