// eqm denoise: descends from images that are noise in part.
#include "eqm/descend/denoise.h"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/interrupt.h"
#include "cli/verb.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/open_images.h"
#include "eqm/app/sampling_progress.h"
#include "eqm/app/unused_options.h"
#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/base/version.h"
#include "eqm/codec/options.h"
#include "eqm/codec/pictures.h"
#include "eqm/codec/states.h"
#include "eqm/data/batch.h"
#include "eqm/data/pick_source.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/csv_records.h"
#include "eqm/io/output_folder.h"
#include "eqm/io/png.h"
#include "eqm/io/text.h"
#include "eqm/landscape/labels.h"
#include "eqm/tensor/runtime.h"

namespace eqm::cli {
namespace {

constexpr int64_t kMostPairs = 16;  // in the grid
constexpr double kStates = 5;       // of an image at once: clean, noised, denoised and on the way

struct Pair {
  int64_t number = 0;
  std::string source;  // where the image comes from
  State clean, start, end;
  Terms terms;
  SampleRecord record;
};

class Denoise final : public Verb {
 public:
  std::string name() const override { return "denoise"; }
  std::string summary() const override { return "Descends from partially noised images"; }
  std::string advice() const override {
    return R"(The model is told no noise level: it descends from wherever the image is. With --gamma the images are noised
here first (0 is pure noise, 1 leaves them alone), and the result is compared with the original; with --gamma 1
they are taken as they are, for images that are noisy already. The folders denoised/, noised/ and original/ (before/
and after/ with --gamma 1) hold the pictures by number; denoise.csv says where each comes from.

Examples:
  eqm denoise --model models/fashion-xs4.safetensors --data fashion-mnist --gamma 0.6
  eqm denoise --model runs/mine --data my-noisy-images --gamma 1 --label null)";
  }
  std::string positional() const override { return "model"; }

  void declare(OptionSet& options) override {
    options.text("model", model_, "a model file, a run folder or a checkpoint");
    options.text("data", data_, "images: a named set or a path, as for eqm train");
    options.count("count", count_, Range::between(1, 1e6), "how many of them, chosen at random");
    options.number("gamma", gamma_, Range::between(0, 1),
                   "how much of an image is left when it is noised; 1 for images as they are");
    options.text("label", label_, "own for each image's class, null for none, or a class");
    options.count("seed", seed_, Range::between(0, 9e15), "of the noise");
    options.section("descent");
    descent_.declare(options);
    options.section("output");
    options.text("out", out_, "folder for the pictures and the table");
    options.flag("pictures", pictures_, "writes every image as a picture of its own");
    codec_.declare(options);
    runtime_.declare(options);
  }

  int run(const OptionSet&, Host& host) override {
    const Runtime runtime = make_runtime(runtime_);
    const RuntimeScope scope(runtime);
    const torch::TensorOptions type = runtime.tensors();
    const Model model = load_for(model_, type);
    if (data_.empty()) throw Error(ErrorKind::usage, "no images were given", "use --data PATH");
    // Integrators and conditioned models begin at pure noise, and would take the image for it.
    if (sees_time(model.objective.kind) || is_flow(model.objective.kind)) {
      throw Error(ErrorKind::usage,
                  fmt::format("a model of {} has to be told how noisy an image is, and denoise "
                              "tells nothing",
                              name_of(model.objective.kind)),
                  "give a model of eqm, eqm-dot or eqm-l2");
    }
    const Codec codec = codec_.codec_of(model, type);
    const LearnedField field(model);
    descent_.validate(model.objective);
    warn_of_unused(descent_, model.objective, *host.log());
    std::vector<Pair> pairs = read(model, codec, host);
    const OutputFolder folder(out_);
    const bool whole = descend_all(field, pairs, host);
    write(model, codec, pairs, host);
    return whole ? 0 : exit_code_of(interrupt_requested());
  }

 private:
  SourcePtr open_for(const Model& model, const Codec& codec, Host& host) const {
    const Shape shape = codec.picture_shape(model.backbone->state_shape());
    if (shape.size() != 3) {
      throw Error(ErrorKind::usage, "only models of images can denoise them",
                  "give a model that was trained on images");
    }
    if (shape[0] != 1 && shape[0] != 3) return open_unseen(data_, {});  // tensors, as they are
    return open_unseen(data_,
                       {.channels = shape[0],
                        .size = shape[1],
                        .latents = codec.has_autoencoder(),
                        .notice = colour_warning(data_, "the model's pictures", host.log())});
  }

  std::vector<Pair> read(const Model& model, const Codec& codec, Host& host) const {
    const SourcePtr all = open_for(model, codec, host);
    const int64_t count = std::min(count_, all->size());
    require_memory(
        kStates *
            static_cast<double>(count * c10::multiply_integers(model.backbone->state_shape())) *
            sizeof(double),
        "lower --count");
    const SourcePtr source = pick_source(all, choose_examples(all->size(), count).chosen);
    const bool own = label_ == "own", known = all->class_names() == model.class_names;
    if (own && !known && model.backbone->num_classes() > 0) {
      host.log()->warn("the classes of {} are not the model's: denoising without labels", data_);
    }
    const auto terms_for = [&](int64_t label) {
      if (!own) return only(label_of(model, label_));
      return known && label >= 0 ? only(label) : Terms();
    };
    const Batch batch = read_batch(*source, 0, source->size());
    const Tensor states = states_of(batch, codec, torch::kFloat64);
    if (Shape(states.sizes().begin() + 1, states.sizes().end()) != model.backbone->state_shape()) {
      throw Error(ErrorKind::input,
                  fmt::format("the images have shape {}, and the model takes {}",
                              fmt::join(states.sizes().slice(1).vec(), "x"),
                              fmt::join(model.backbone->state_shape(), "x")),
                  "give images of the kind it was trained on");
    }
    std::vector<Pair> pairs;
    for (int64_t i = 0; i < states.size(0); ++i) {
      Pair& pair = pairs.emplace_back();
      pair.number = i;
      const std::string from = source->name_of(i);
      pair.source = is_utf8(from) ? from : in_quotes(from);  // as a picture's text must be
      pair.clean = state_of(states, i);
      pair.start = noised(pair.clean, gamma_, static_cast<uint64_t>(seed_), i);
      pair.terms = terms_for(batch.labels[static_cast<size_t>(i)]);
    }
    return pairs;
  }

  // False when it was interrupted.
  bool descend_all(const LearnedField& field, std::vector<Pair>& pairs, Host& host) const {
    host.begin_stoppable_work();
    SamplingSpec job = {.count = static_cast<int64_t>(pairs.size()),
                        .seed = static_cast<uint64_t>(seed_),
                        .descent = descent_,
                        .in_order = false};
    job.start = [&](int64_t i) { return pairs[static_cast<size_t>(i)].start; };
    job.terms = [&](int64_t i) { return pairs[static_cast<size_t>(i)].terms; };
    job.done = [&](int64_t i, Outcome outcome) {
      pairs[static_cast<size_t>(i)].end = std::move(outcome.x);
      pairs[static_cast<size_t>(i)].record = outcome.record;
    };
    SamplingProgress progress(host.progress(), "denoising", job.count,
                              descent_.resolve(field.model().objective));
    job.go_on = [&](const EngineCounts& counts) {
      progress.update(counts);
      return !host.stop_requested();
    };
    run_sampling(field, job);
    progress.end();
    std::erase_if(pairs, [](const Pair& pair) {
      return pair.end.size() == 0 || !is_finished(pair.record.status);
    });
    if (!host.stop_requested()) return true;
    if (pairs.empty()) {
      host.log()->warn("interrupted: none of {} images is done, so nothing is written to {}",
                       job.count, out_);
    } else {
      host.log()->warn("interrupted: {} of {} images are done and written; the others are not",
                       pairs.size(), job.count);
    }
    return false;
  }

  void write(const Model& model, const Codec& codec, const std::vector<Pair>& pairs,
             Host& host) const {
    if (pairs.empty()) return;
    const bool noised = gamma_ < 1;  // as they are, there is nothing to compare with
    const bool known = noised && !makes_latents(model);
    const double peak = 255 / model.scaling.unit;
    std::vector<std::vector<std::string>> rows;
    double before = 0, after = 0, steps = 0;
    const auto count = static_cast<double>(pairs.size());
    for (const Pair& pair : pairs) {
      const double noisy = psnr(pair.start, pair.clean, peak);
      const double result = psnr(pair.end, pair.clean, peak);
      before += noisy / count;
      after += result / count;
      steps += static_cast<double>(pair.record.steps) / count;
      rows.push_back({std::to_string(pair.number), pair.source, std::to_string(pair.record.steps)});
      if (known) {
        rows.back().insert(rows.back().end(),
                           {fmt::format("{}", noisy), fmt::format("{}", result)});
      }
    }
    const std::filesystem::path folder(out_);
    std::vector<std::string> columns = {"image", "source", "steps"};
    if (known) columns.insert(columns.end(), {"psnr_before", "psnr_after"});
    write_csv_records(folder / "denoise.csv", columns, rows);
    const PngText origin = {{"Software", software_name()},
                            {"Model", model_},
                            {"Data", data_},
                            {"Gamma", fmt::format("{}", gamma_)},
                            {"Rule", descent_.resolve(model.objective).described()}};
    write_png(folder / "denoise.png", picture(model, codec, pairs, noised), origin);
    if (pictures_) write_pictures(model, codec, pairs, noised, origin);
    std::cout << fmt::format("{:<18} {}\n{:<18} {:.1f}\n", "images", pairs.size(), "mean steps",
                             steps);
    if (known) {
      std::cout << fmt::format("{:<18} {:.2f} dB noised, {:.2f} dB denoised\n", "PSNR", before,
                               after);
    } else if (noised) {
      host.log()->info("no PSNR: distances between latents tell little of pictures");
    }
    host.log()->info("wrote denoise.png, denoise.csv{} to {}",
                     pictures_ ? " and a folder of pictures for each stage" : "", out_);
  }

  struct Stage {
    std::string name;
    State Pair::*state;
  };

  // As they are, there is nothing before the noise.
  static std::vector<Stage> stages(bool noised) {
    if (!noised) return {{"before", &Pair::start}, {"after", &Pair::end}};
    return {{"original", &Pair::clean}, {"noised", &Pair::start}, {"denoised", &Pair::end}};
  }

  // A folder for each stage, with the images by their numbers.
  void write_pictures(const Model& model, const Codec& codec, const std::vector<Pair>& pairs,
                      bool noised, const PngText& origin) const {
    Shape shape = model.backbone->state_shape();
    shape.insert(shape.begin(), 1);
    Tensor state = torch::empty(shape, torch::kFloat64);
    for (const Stage& stage : stages(noised)) {
      const std::filesystem::path folder = std::filesystem::path(out_) / stage.name;
      create_folder(folder);
      for (const Pair& pair : pairs) {
        put_state(pair.*stage.state, state, 0);
        PngText text = origin;
        text.emplace_back("Stage", stage.name);
        text.emplace_back("Source", pair.source);
        write_png(folder / fmt::format("{:06}.png", pair.number), pictures_of(state, codec).front(),
                  text);
      }
    }
  }

  // A row for each stage.
  static Image picture(const Model& model, const Codec& codec, const std::vector<Pair>& pairs,
                       bool noised) {
    const auto shown = std::min<int64_t>(kMostPairs, static_cast<int64_t>(pairs.size()));
    std::vector<std::string> names;
    for (const Stage& stage : stages(noised)) names.push_back(stage.name);
    Shape shape = model.backbone->state_shape();
    shape.insert(shape.begin(), shown * static_cast<int64_t>(names.size()));
    Tensor states = torch::empty(shape, torch::kFloat64);
    int64_t place = 0;
    for (const Stage& stage : stages(noised)) {
      for (int64_t i = 0; i < shown; ++i) {
        put_state(pairs[static_cast<size_t>(i)].*stage.state, states, place++);
      }
    }
    return picture_grid(states, codec, shown, names, "");
  }

  std::string model_, data_, label_ = "own", out_ = "out/denoise";
  int64_t count_ = 16, seed_ = 0;
  double gamma_ = 0.6;
  bool pictures_ = true;
  DescentOptions descent_;
  CodecOptions codec_;
  RuntimeOptions runtime_;
};

}  // namespace

std::unique_ptr<Verb> denoise_verb() {
  return std::make_unique<Denoise>();
}

}  // namespace eqm::cli
