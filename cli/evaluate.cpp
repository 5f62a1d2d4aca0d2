// eqm evaluate: how good a set of pictures is, told in every usual way at once.
#include <algorithm>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/engine_note.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/quality.h"
#include "cli/verb.h"
#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/codec/pictures.h"
#include "eqm/codec/states.h"
#include "eqm/data/made_images.h"
#include "eqm/data/memory_source.h"
#include "eqm/data/missing_part.h"
#include "eqm/data/pick_source.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/png.h"
#include "eqm/landscape/labels.h"
#include "eqm/measure/set_evaluation.h"
#include "eqm/tensor/runtime.h"

namespace eqm::cli {
namespace {

constexpr int64_t kShown = 10;  // of the best, and of the worst

struct Row {
  std::string name;
  Evaluation evaluation;
};

class Evaluate final : public Verb {
 public:
  std::string name() const override { return "evaluate"; }
  std::string summary() const override {
    return "Measures how like the data samples are: distances, precision, coverage, accuracy";
  }
  std::string advice() const override {
    return R"(Samples are drawn from --model, or are the --pictures of a folder, a tar or another data set. They are compared
with the training part of --data in the features of a classifier of such data (--judge).

FD is the Fréchet distance between the features as two normal distributions, with the range that 90 % of resampled sets
have about it; it grows when samples are few, so compare equal counts. KID has no such bias. IS is the Inception Score
under the judge. Precision and density tell how many samples look real, recall and coverage how much of
the data is found among the samples. `right` is the share that looks like the class it was asked for. --floor adds
held-out real pictures and pure noise, the two ends of every scale.

Examples:
  eqm evaluate --model models/fashion-xs4.safetensors --rule land --samples 2000 --floor
  eqm evaluate --pictures out/samples/pictures --data fashion-mnist)";
  }
  std::string positional() const override { return "model"; }

  void declare(OptionSet& options) override {
    options.text("model", model_, "the model to sample: a file, a run folder or a checkpoint");
    options.text("pictures", pictures_, "pictures to judge in place of a model's samples");
    options.text("judge", judge_, "a classifier of the same data");
    options.text("data", data_, "what the pictures should look like");
    options.count("reference", reference_, Range::between(2, 1e9),
                  "examples of it to compare with");
    options.count("samples", samples_, Range::between(2, 1e7),
                  "samples drawn, or pictures at most");
    options.flag("floor", floor_, "also tells the numbers of real pictures and of noise");
    options.count("neighbours", evaluation_.neighbours, Range::between(1, 100),
                  "k of precision, recall, density and coverage");
    options.count("resamplings", evaluation_.resamplings, Range::between(0, 10000),
                  "for the range of the distance; 0 for none");
    options.count("seed", seed_, Range::between(0, 9e15), "where samples start");
    options.number("guidance", guidance_, Range::between(-1000, 1000), "1 for none");
    options.section("descent");
    descent_.declare(options);
    options.section("output");
    options.text("out", out_, "folder for evaluation.json and the picture of best and worst");
    runtime_.declare(options);
  }

  int run(const OptionSet&, Console& console) override {
    if (model_.empty() == pictures_.empty()) {
      throw Error(ErrorKind::usage,
                  model_.empty() ? "nothing was given to evaluate"
                                 : "a model and pictures were given to evaluate",
                  "use either --model FILE or --pictures PATH");
    }
    const torch::TensorOptions type = start_runtime(runtime_);
    const Judge judge(load_for(judge_, type));
    const SourcePtr data = pictures_for(judge, data_, Split::train, reference_);
    std::optional<LearnedField> field;
    SourcePtr samples;
    if (model_.empty()) {
      samples = given(judge);
    } else {
      field.emplace(load_for(model_, type));
      check_model(*field, judge);
    }
    create_folder(out_);
    catch_interrupts();
    if (field) samples = drawn(*field, console);
    const auto features = [&](const std::string& what, const Source& source) {
      console.progress.begin(what, source.size(), "pictures");
      auto set = features_of(judge, source, [&](int64_t done) {
        console.progress.update(done, "");
        return interrupt_requested() == 0;
      });
      console.progress.end();
      return set;
    };
    const auto reference = samples ? features("judging the data", *data) : std::nullopt;
    const auto set = reference ? features("judging the samples", *samples) : std::nullopt;
    if (!set) return exit_code_of(interrupt_requested());
    warn_of_few(*set, console);
    evaluation_.seed = static_cast<uint64_t>(seed_);
    std::vector<Row> rows = {
        {field ? "samples" : "pictures", evaluate(*set, *reference, evaluation_)}};
    if (floor_) {
      for (const auto& [name, source] : ends_of_the_scale(judge, samples->size(), console)) {
        const auto other = features("judging " + name, *source);
        if (!other) return exit_code_of(interrupt_requested());
        rows.push_back({name, evaluate(*other, *reference, evaluation_)});
      }
    }
    std::cout << table(rows);
    write(rows, samples, data, *set, *reference, judge.model().scaling);
    console.log->info("wrote evaluation.json and evaluation.png to {}", out_);
    return 0;
  }

 private:
  void check_model(const LearnedField& field, const Judge& judge) const {
    require_fitting(judge, field.model());
    const Shape shape = field.model().backbone->state_shape();
    descent_.resolved(field.model().objective);  // refuses before anything is drawn
    require_memory(static_cast<double>(samples_ * c10::multiply_integers(shape)) *
                       (sizeof(double) + sizeof(float)),
                   "lower --samples, or draw them with eqm sample and give --pictures");
  }

  // The pictures that were given: the test part where there are parts.
  SourcePtr given(const Judge& judge) const {
    try {
      return pictures_for(judge, pictures_, Split::test, samples_);
    } catch (const MissingPart&) {
      return pictures_for(judge, pictures_, Split::train, samples_);
    }
  }

  // Samples of a model with labels in turn; null when it was interrupted.
  SourcePtr drawn(const LearnedField& field, Console& console) const {
    const Model& model = field.model();
    const EngineNote note;
    SamplingRequest request = {.labels = labels_in_turn(model, samples_),
                               .count = samples_,
                               .guidance = guidance_,
                               .seed = static_cast<uint64_t>(seed_),
                               .descent = descent_};
    request.go_on = [&](const EngineCounts& counts) {
      console.progress.update(counts.finished, note.of(counts));
      return interrupt_requested() == 0;
    };
    console.progress.begin("sampling", samples_, "samples");
    const DescentResult result = sample(field, request);
    console.progress.end();
    if (interrupt_requested() != 0) return nullptr;
    const auto lost = std::ranges::count(result.samples, DescentStatus::diverged,
                                         [](const SampleRecord& record) { return record.status; });
    if (lost > 0) {
      console.log->warn("{} of {} samples diverged and are judged as they were before", lost,
                        samples_);
    }
    const Tensor bytes = bytes_of(result.x, model.scaling).contiguous();
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

  static void warn_of_few(const FeatureSet& set, Console& console) {
    if (set.features.size(0) > set.features.size(1)) return;
    console.log->warn(
        "{} pictures are no more than the {} features: their covariance is singular, and FD tells "
        "more of their number than of them",
        set.features.size(0), set.features.size(1));
  }

  // As many held-out real pictures, if there are any, and as many of pure noise.
  std::vector<std::pair<std::string, SourcePtr>> ends_of_the_scale(const Judge& judge,
                                                                   int64_t count,
                                                                   Console& console) const {
    std::vector<std::pair<std::string, SourcePtr>> ends;
    try {
      ends.emplace_back("real", pictures_for(judge, data_, Split::test, count));
    } catch (const MissingPart&) {
      console.log->warn("{} has no test part: no real pictures to compare with", data_);
    }
    const Shape shape = judge.model().backbone->state_shape();
    ends.emplace_back("noise",
                      made_images(MadeImages::noise, count,
                                  {.channels = shape[0], .height = shape[1], .width = shape[2]}));
    return ends;
  }

  static std::string table(const std::vector<Row>& rows) {
    std::string text = fmt::format(
        "{:<9} {:>7} {:>9} {:>18} {:>16} {:>6} {:>6} {:>6} {:>7} {:>8} {:>6}\n", "", "count", "FD",
        "90 % range", "KID", "IS", "prec.", "recall", "density", "coverage", "right");
    for (const auto& [name, e] : rows) {
      text += fmt::format(
          "{:<9} {:>7} {:>9.2f} {:>18} {:>16} {:>6.2f} {:>6.3f} {:>6.3f} {:>7.3f} {:>8.3f} {:>6}\n",
          name, e.count, e.distance,
          fmt::format("{:.2f} to {:.2f}", e.distance_range.low, e.distance_range.high),
          fmt::format("{:.3g} ± {:.2g}", e.kernel_distance.mean, e.kernel_distance.deviation),
          e.inception_score, e.manifold.precision, e.manifold.recall, e.manifold.density,
          e.manifold.coverage, e.accuracy ? fmt::format("{:.1f}%", 100 * *e.accuracy) : "");
    }
    return text;
  }

  void write(const std::vector<Row>& rows, const SourcePtr& samples, const SourcePtr& data,
             const FeatureSet& set, const FeatureSet& reference, const Scaling& scaling) const {
    nlohmann::json figures = {{"judge", judge_}, {"data", data_}, {"reference", data->size()}};
    for (const auto& [name, e] : rows) {
      figures["sets"].push_back({{"name", name},
                                 {"count", e.count},
                                 {"frechet_distance", e.distance},
                                 {"frechet_range", {e.distance_range.low, e.distance_range.high}},
                                 {"kernel_distance", e.kernel_distance.mean},
                                 {"kernel_deviation", e.kernel_distance.deviation},
                                 {"inception_score", e.inception_score},
                                 {"precision", e.manifold.precision},
                                 {"recall", e.manifold.recall},
                                 {"density", e.manifold.density},
                                 {"coverage", e.manifold.coverage}});
      if (e.accuracy) figures["sets"].back()["accuracy"] = *e.accuracy;
    }
    const std::filesystem::path folder(out_);
    write_file(folder / "evaluation.json", figures.dump(2) + "\n");
    write_png(folder / "evaluation.png",
              figure(samples, data, nearest_features(set, reference), scaling),
              {{"Software", "eqm " EQM_VERSION},
               {"Pictures", model_.empty() ? pictures_ : model_},
               {"Data", data_}});
  }

  // The pictures nearest to real ones and those farthest from any, each above its nearest.
  static Image figure(const SourcePtr& samples, const SourcePtr& data, const Nearest& nearest,
                      const Scaling& scaling) {
    const Tensor order = nearest.distances.argsort();
    const int64_t shown = std::min(kShown, (order.size(0) + 1) / 2);
    const auto states = [&](const SourcePtr& source, const Tensor& places) {
      const Tensor chosen = places.contiguous();
      const auto* first = chosen.data_ptr<int64_t>();
      const SourcePtr some = pick_source(source, {first, first + chosen.numel()});
      return states_of(read_batch(*some, 0, some->size()), scaling, torch::kFloat64);
    };
    std::vector<Tensor> rows;
    for (const Tensor& places : {order.narrow(0, 0, shown), order.flip(0).narrow(0, 0, shown)}) {
      rows.push_back(states(samples, places));
      rows.push_back(states(data, nearest.places.index_select(0, places)));
    }
    return picture_grid(torch::cat(rows), scaling, shown, {"best", "nearest", "worst", "nearest"},
                        "");
  }

  std::string model_, pictures_;
  std::string judge_ = "models/fashion-classifier.safetensors";
  std::string data_ = "fashion-mnist", out_ = "out/evaluation";
  int64_t reference_ = 10000, samples_ = 2000, seed_ = 0;
  double guidance_ = 1;
  bool floor_ = false;
  EvaluationOptions evaluation_;
  DescentOptions descent_;
  RuntimeOptions runtime_;
};

}  // namespace

std::unique_ptr<Verb> evaluate_verb() {
  return std::make_unique<Evaluate>();
}

}  // namespace eqm::cli
