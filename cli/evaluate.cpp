// eqm evaluate: how good a set of pictures is, told in every usual way at once.
#include <algorithm>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/interrupt.h"
#include "cli/verb.h"
#include "eqm/app/comparison.h"
#include "eqm/app/evaluation_output.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/open_images.h"
#include "eqm/app/sampling_progress.h"
#include "eqm/app/unused_options.h"
#include "eqm/app/written_file.h"
#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/base/version.h"
#include "eqm/codec/options.h"
#include "eqm/codec/states.h"
#include "eqm/data/layout.h"
#include "eqm/data/made_images.h"
#include "eqm/data/memory_source.h"
#include "eqm/data/missing_part.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/output_folder.h"
#include "eqm/io/png.h"
#include "eqm/landscape/labels.h"
#include "eqm/measure/set_evaluation.h"
#include "eqm/tensor/runtime.h"

namespace eqm::cli {
namespace {

class Evaluate final : public Verb {
 public:
  std::string name() const override { return "evaluate"; }
  std::string summary() const override {
    return "Measures how like the data samples are: FID and sFID, KID, precision, coverage, "
           "accuracy";
  }
  std::string advice() const override {
    return R"(Samples are drawn from --model, or are the --pictures of a folder, a tar, an .npz or a data set. They are compared
with a --reference, Fashion-MNIST unless you name one (pictures of any of these kinds: the training part of a set; or
an .npz of statistics) in the features of a network (--features): a classifier of such data, or Inception by the
weights of pytorch-fid, pt_inception-2015-12-05-6726825d.pth. With Inception the numbers are FID and sFID as others
report them, provided the convention is theirs: adm shows pictures as TensorFlow's graph in ADM's evaluator does,
pytorch-fid as that program.

FD (FID) is the Fréchet distance between the features as two normal distributions, with the range that 90 % of
resampled sets have about it; it grows when samples are few, so compare equal counts. KID has no such bias. IS is the
Inception Score under the network. Precision and density tell how many samples look real, recall and coverage how much
of the data is found among the samples. `right` is the share that a classifier takes for the class that was asked for.
--floor adds held-out real pictures and pure noise, the two ends of every scale.

--save-statistics looks at the reference once and for all: the file takes its place (--reference FILE.npz), and other
programs read it. It records its network; statistics of another network or convention are refused. With statistics
alone there is no KID, precision, recall, density and coverage; --save-pictures adds the pictures to the file (ADM's
evaluator wants them).

Examples:
  eqm evaluate --model models/fashion-xs4.safetensors --samples 2000 --floor
  eqm evaluate --pictures out/samples/pictures --reference fashion-mnist
  eqm evaluate --features inception.pth --reference train.tar --reference-count 50000 --save-statistics train.npz
  eqm evaluate --features inception.pth --reference train.npz --pictures samples.npz --samples 50000)";
  }
  std::string positional() const override { return "model"; }

  void declare(OptionSet& options) override {
    options.text("model", model_, "the model to sample: a file, a run folder or a checkpoint");
    options.text("pictures", pictures_, "pictures to judge in place of a model's samples");
    comparison_.declare_with_size(options);
    options.count("samples", samples_, Range::between(2, 1e7),
                  "samples drawn, or pictures at most");
    options.flag("floor", floor_, "also tells the numbers of real pictures and of noise");
    options.count("neighbours", evaluation_.neighbours, Range::between(1, 100),
                  "k of precision, recall, density and coverage");
    options.count("manifold-count", evaluation_.manifold_rows, Range::between(0, 1e7),
                  "pictures of each set at most for these four; 0 for all, as ADM's evaluator");
    options.count("resamplings", evaluation_.resamplings, Range::between(0, 10000),
                  "for the range of the distance; 0 for none");
    options.count("seed", seed_, Range::between(0, 9e15), "where samples start");
    options.number("guidance", guidance_, Range::between(-1000, 1000),
                   "scale of classifier-free guidance; 1 for none");
    options.section("descent");
    descent_.declare(options);
    options.section("output");
    options.text("out", out_, "folder for evaluation.json and the picture of best and worst");
    options.text("save-statistics", statistics_, "an .npz for the statistics of the reference");
    options.flag("save-pictures", save_pictures_, "also writes its pictures into that file");
    codec_.declare(options);
    runtime_.declare(options);
  }

  int run(const OptionSet& options, Host& host) override {
    check_request();
    const Runtime runtime = make_runtime(runtime_);
    const RuntimeScope scope(runtime);
    const torch::TensorOptions type = runtime.tensors();
    const FeatureNetPtr network = load_features(comparison_, type);
    const ReferenceData data = open_reference(*network, comparison_, host);
    if (!statistics_.empty() && !data.pictures) {
      throw Error(ErrorKind::usage, "the reference has no pictures to make statistics of",
                  "it holds statistics already; give the pictures they were made of");
    }
    std::optional<LearnedField> field;
    std::optional<Codec> codec;
    SourcePtr samples;
    if (!pictures_.empty()) {
      samples = given(*network, host.log());
      const Option* reference = options.find("reference");
      const bool by_default = reference->get() == reference->standard;
      host.log()->info("comparing {} with {}{}", pictures_, comparison_.reference,
                       by_default ? ", the default: --reference names other real pictures" : "");
    }
    if (samples && samples->size() < 2) {
      throw Error(ErrorKind::input, fmt::format("'{}' has one picture only", pictures_),
                  "a set has two pictures or more");
    }
    if (!model_.empty()) {
      field.emplace(load_for(model_, type));
      codec = codec_.codec_of(field->model(), type);
      check_model(*field, *codec, *network);
      rule_ = descent_.resolve(field->model().objective).described();
      warn_of_unused(descent_, field->model().objective, *host.log());
    }
    std::optional<OutputFolder> folder;
    if (samples || field) folder.emplace(out_);
    host.begin_stoppable_work();
    if (field) samples = drawn(*field, *codec, host);
    if (host.stop_requested()) {
      host.log()->warn(
          "interrupted before anything was measured; samples of `eqm sample --npz` are kept, and "
          "--pictures measures them");
      return exit_code_of(interrupt_requested());
    }
    std::optional<FeatureSet> real;
    if (data.pictures) {
      real = features("the reference", *network, *data.pictures, host);
      if (!real) return exit_code_of(interrupt_requested());
    }
    if (!statistics_.empty()) save_statistics(*real, *data.pictures, *network, host);
    if (!samples) return 0;  // statistics were all that was asked for
    return evaluate_set(samples, data, reference_from(data, real, host), *network, host);
  }

 private:
  void check_request() const {
    if (!model_.empty() && !pictures_.empty()) {
      throw Error(ErrorKind::usage, "a model and pictures were given to evaluate",
                  "use either --model FILE or --pictures PATH");
    }
    if (model_.empty() && pictures_.empty() && statistics_.empty()) {
      throw Error(ErrorKind::usage, "nothing was given to evaluate",
                  "use --model FILE or --pictures PATH");
    }
    if (save_pictures_ && statistics_.empty()) {
      throw Error(ErrorKind::usage, "there is no file to save pictures in",
                  "name one with --save-statistics FILE.npz");
    }
    if (statistics_.empty()) return;
    if (!statistics_.ends_with(".npz")) {
      throw Error(ErrorKind::usage, fmt::format("'{}' does not end with .npz", statistics_),
                  "name the file statistics.npz, for instance");
    }
    for (const std::string& input : {comparison_.reference, pictures_}) {
      require_another_file(statistics_, input);
    }
    const AtomicFile place(statistics_);  // a bad one is refused before anything is looked at
  }

  void check_model(const LearnedField& field, const Codec& codec, const FeatureNet& network) const {
    require_fitting(network, field.model(), codec);
    const Shape shape = field.model().backbone->state_shape();
    descent_.validate(field.model().objective);  // refuses before anything is drawn
    const auto bytes =
        2 * c10::multiply_integers(codec.picture_shape(shape));  // as tensor, as list
    const auto numbers = static_cast<double>(c10::multiply_integers(shape));
    require_memory(static_cast<double>(samples_) *
                       (numbers * (sizeof(double) + sizeof(float)) + static_cast<double>(bytes)),
                   "lower --samples, or draw them with eqm sample and give --pictures");
  }

  // The pictures that were given: the test part where there are parts.
  SourcePtr given(const FeatureNet& network, const std::shared_ptr<Logger>& log) const {
    const auto part = [&](Split split) {
      return pictures_for(network, comparison_, pictures_, split, samples_,
                          colour_warning(pictures_, "the classifier's pictures", log));
    };
    std::error_code ignored;
    if (std::filesystem::is_regular_file(pictures_, ignored)) {  // this one, whatever is beside it
      return part(Split::train);
    }
    try {
      return part(Split::test);
    } catch (const MissingPart&) {
      return part(Split::train);
    }
  }

  // Samples of a model with labels in turn; null when it was interrupted.
  SourcePtr drawn(const LearnedField& field, const Codec& codec, Host& host) const {
    const Model& model = field.model();
    SamplingSpec request = {.labels = labels_in_turn(model, samples_),
                            .count = samples_,
                            .guidance = guidance_,
                            .seed = static_cast<uint64_t>(seed_),
                            .descent = descent_};
    SamplingProgress progress(host.progress(), "sampling", samples_,
                              descent_.resolve(model.objective));
    request.go_on = [&](const EngineCounts& counts) {
      progress.update(counts);
      return !host.stop_requested();
    };
    const DescentResult result = sample(field, request);
    progress.end();
    if (host.stop_requested()) return nullptr;
    const auto lost = std::ranges::count(result.samples, DescentStatus::diverged,
                                         [](const SampleRecord& record) { return record.status; });
    if (lost == samples_) {
      throw Error(ErrorKind::numeric, "every sample diverged",
                  "take smaller steps (--eta, --limit); are the model's weights sound?");
    }
    if (lost > 0) {
      host.log()->warn("{} of {} samples diverged and are judged as they were before", lost,
                       samples_);
    }
    const Tensor bytes = bytes_of(result.x, codec).contiguous();
    std::vector<Example> examples;
    const auto size = static_cast<size_t>(bytes[0].numel());
    for (int64_t i = 0; i < samples_; ++i) {
      const auto* first = reinterpret_cast<const std::byte*>(bytes[i].data_ptr<uint8_t>());
      examples.push_back(
          {.dtype = Dtype::u8,
           .shape = bytes[i].sizes().vec(),
           .bytes = {first, first + size},
           .label = request.labels.defined() ? request.labels[i].item<int64_t>() : kNoLabel});
    }
    return memory_source(std::move(examples), model.class_names, "sample");
  }

  // Nothing when it was interrupted.
  static std::optional<FeatureSet> features(const std::string& what, const FeatureNet& network,
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

  void save_statistics(const FeatureSet& real, const Source& pictures, const FeatureNet& network,
                       Host& host) const {
    write_statistics(statistics_,
                     {.features = moments_of(real.features),
                      .spatial = real.spatial,
                      .network = network.identity(),
                      .pictures = pictures.size()},
                     save_pictures_ ? &pictures : nullptr);
    host.log()->info("wrote the statistics of {} pictures to {}", pictures.size(), statistics_);
  }

  // Statistics of a file stand for those of its pictures, as in ADM's evaluator.
  Reference reference_from(const ReferenceData& data, const std::optional<FeatureSet>& real,
                           Host& host) const {
    if (!data.statistics) return reference_of(*real);
    Reference reference = {.features = FrechetTarget(data.statistics->features)};
    if (data.statistics->spatial.count() > 0) {
      reference.spatial.emplace(data.statistics->spatial);
    }
    if (real) {
      reference.rows = real->features;
    } else {
      host.log()->info("{} has statistics only: no KID, precision, recall, density and coverage",
                       comparison_.reference);
    }
    return reference;
  }

  int evaluate_set(const SourcePtr& samples, const ReferenceData& data, const Reference& reference,
                   const FeatureNet& network, Host& host) {
    const auto set = features("the samples", network, *samples, host);
    if (!set) return exit_code_of(interrupt_requested());
    if (!set->asked.defined() && set->labels.defined() && !samples->class_names().empty()) {
      host.log()->warn(
          "the classes of the pictures ({}, ...) are not those of the classifier ({}, ...): no "
          "class accuracy",
          samples->class_names().front(),
          network.class_names().empty() ? "0" : network.class_names().front());
    }
    evaluation_.seed = static_cast<uint64_t>(seed_);
    std::vector<EvaluatedSet> sets = {
        {model_.empty() ? "pictures" : "samples", evaluate(*set, reference, evaluation_)}};
    if (floor_) {
      for (const auto& [what, source] : ends_of_the_scale(*samples, network, host)) {
        const auto other = features(what, network, *source, host);
        if (!other) return exit_code_of(interrupt_requested());
        sets.push_back({what, evaluate(*other, reference, evaluation_)});
      }
    }
    std::cout << evaluation_table(sets, network.picture_shape() ? "FD" : "FID");
    write_figures(sets, data, network);
    if (!data.pictures) {
      host.log()->info("wrote evaluation.json to {}", out_);
      return 0;
    }
    write_png(
        std::filesystem::path(out_) / "evaluation.png",
        best_and_worst(samples, data.pictures, nearest_features(set->features, reference.rows)),
        {{"Software", software_name()},
         {"Pictures", model_.empty() ? pictures_ : model_},
         {"Reference", comparison_.reference}});
    host.log()->info("wrote evaluation.json and evaluation.png to {}", out_);
    return 0;
  }

  // As many held-out real pictures, if there are any, and as many of pure noise.
  std::vector<std::pair<std::string, SourcePtr>> ends_of_the_scale(const Source& samples,
                                                                   const FeatureNet& network,
                                                                   Host& host) const {
    std::vector<std::pair<std::string, SourcePtr>> ends;
    if (const SourcePtr unseen = unseen_pictures(network, comparison_, samples.size())) {
      ends.emplace_back("real", unseen);
      if (unseen->size() < samples.size()) {
        host.log()->warn(
            "{} has {} pictures in its test part, fewer than the {} samples: their distance is "
            "larger for that alone",
            comparison_.reference, unseen->size(), samples.size());
      }
    } else {
      host.log()->warn("{} has no test part: no real pictures to compare with",
                       comparison_.reference);
    }
    const Shape shape = layout_of(samples).shape;
    ends.emplace_back("noise",
                      made_images(MadeImages::noise, samples.size(),
                                  {.channels = shape[0], .height = shape[1], .width = shape[2]}));
    return ends;
  }

  void write_figures(const std::vector<EvaluatedSet>& sets, const ReferenceData& data,
                     const FeatureNet& network) const {
    const nlohmann::json figures = {
        {"model", model_},
        {"pictures", pictures_},
        {"rule", rule_},
        {"guidance", guidance_},
        {"seed", seed_},
        {"features", comparison_.features},
        {"network", network.identity()},
        {"reference", comparison_.reference},
        {"reference_count", data.statistics ? data.statistics->pictures : data.pictures->size()},
        {"sets", evaluation_json(sets)}};
    write_file(std::filesystem::path(out_) / "evaluation.json",
               figures.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }

  std::string model_, pictures_, statistics_;
  std::string rule_;  // of the samples, for the record
  std::string out_ = "out/evaluation";
  ComparisonOptions comparison_;
  int64_t samples_ = 2000, seed_ = 0;
  double guidance_ = 1;
  bool floor_ = false, save_pictures_ = false;
  EvaluationOptions evaluation_;
  DescentOptions descent_;
  CodecOptions codec_;
  RuntimeOptions runtime_;
};

}  // namespace

std::unique_ptr<Verb> evaluate_verb() {
  return std::make_unique<Evaluate>();
}

}  // namespace eqm::cli
