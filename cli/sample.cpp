// eqm sample: draws samples from a model.
#include <algorithm>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/interrupt.h"
#include "cli/verb.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/sample_output.h"
#include "eqm/app/sampling_progress.h"
#include "eqm/app/unused_options.h"
#include "eqm/base/error.h"
#include "eqm/base/version.h"
#include "eqm/codec/options.h"
#include "eqm/io/output_folder.h"
#include "eqm/landscape/labels.h"
#include "eqm/tensor/runtime.h"

namespace eqm::cli {
namespace {

constexpr int64_t kMostClassesByDefault = 10;

const Names<GuidedChannels>& guided_channel_names() {
  static const Names<GuidedChannels> names = {{"all", GuidedChannels::all},
                                              {"first-three", GuidedChannels::first_three}};
  return names;
}

const Names<ZipMethod>& zip_method_names() {
  static const Names<ZipMethod> names = {{"stored", ZipMethod::stored},
                                         {"deflated", ZipMethod::deflated}};
  return names;
}

class Sample final : public Verb {
 public:
  std::string name() const override { return "sample"; }
  std::string summary() const override { return "Draws samples from a trained model"; }
  std::string advice() const override {
    return R"(Sample i of a seed starts from the same noise whatever else is drawn, and its neighbours do not change it. Samples
take the labels in turn; the grid shows a row for each.
--rule auto is land, which takes 14 evaluations of the model; --rule nesterov is the paper's: 250 steps of 0.003, or
--limit steps of a size that follows by itself. --eta, --mu and the stops (--threshold, --fraction, --plateau), which
let each sample stop on its own, mean nesterov, too. --guidance above 1 makes samples more typical of their class;
--mix descends a weighted sum of classes. Ctrl-C keeps what is done, and shows what is under way.

Examples:
  eqm sample --model models/fashion-xs4.safetensors --out out/fashion
  eqm sample --model runs/fashion --labels "coat,bag" --per-class 8 --guidance 1.5
  eqm sample --model runs/fashion --count 50000 --no-pictures --npz samples.npz
  eqm sample --model runs/fashion --count 1000 --class-folders --out out/fashion
  eqm sample --model runs/fashion --mix "coat:1,bag:1,null:-1" --per-class 16 --trace --histogram)";
  }
  std::string positional() const override { return "model"; }

  void declare(OptionSet& options) override {
    options.text("model", model_, "a model file, a run folder or a checkpoint");
    options.text("labels", labels_,
                 "classes by name or number, with commas; all; empty for the first ten");
    options.text("mix", mix_, "classes with weights, as coat:1,bag:1,null:-1, in place of labels");
    options.count("per-class", per_class_, Range::between(1, 1e9), "samples of each class");
    options.count("count", count_, Range::between(0, 1e9),
                  "samples in all, as evenly as goes, in place of --per-class; 0 for that");
    options.number("guidance", guidance_, Range::between(-1000, 1000),
                   "scale of classifier-free guidance; 1 for none");
    options.choice("guided-channels", guided_, guided_channel_names(),
                   "first-three is what the reference does with latents");
    options.count("seed", seed_, Range::between(0, 9e15), "where samples start");
    options.section("descent");
    descent_.declare(options);
    options.section("output");
    options.text("out", out_, "folder for the grid and the pictures");
    options.flag("pictures", choice_.pictures, "writes every sample as a picture of its own");
    options.flag("class-folders", choice_.class_folders,
                 "writes the pictures into a folder for each class, which evaluate and train read");
    options.flag("trace", choice_.trace,
                 "draws how the first sample of each class came about, and norms along the way");
    options.flag("animate", choice_.animate, "draws samples coming out of the noise, as an APNG");
    options.flag("histogram", choice_.histogram, "draws how many evaluations samples took");
    options.text("npz", choice_.npz, "a file for all samples as the ADM evaluator reads them");
    options.choice("npz-method", choice_.npz_method, zip_method_names(), "deflated is smaller");
    options.count("rows", rows_, Range::between(0, 100000),
                  "rows computed at once; 0 chooses by their size");
    codec_.declare(options);
    runtime_.declare(options);
  }

  int run(const OptionSet&, Host& host) override {
    const Runtime runtime = make_runtime(runtime_);
    const RuntimeScope scope(runtime);
    const torch::TensorOptions type = runtime.tensors();
    const Model model = load_for(model_, type);
    const Codec codec = codec_.codec_of(model, type);
    const LearnedField field(model);
    const std::vector<Row> rows = rows_of(model, host);
    if (!choice_.npz.empty() && !choice_.npz.ends_with(".npz")) {
      throw Error(ErrorKind::usage, fmt::format("'{}' does not end with .npz", choice_.npz),
                  "name the file samples.npz, for instance");
    }

    const auto classes = static_cast<int64_t>(rows.size());
    const GridLayout layout = {.rows = classes,
                               .count = count_ > 0 ? count_ : per_class_ * classes};
    SamplingSpec job = {.count = layout.count,
                        .seed = static_cast<uint64_t>(seed_),
                        .descent = descent_,
                        .capacity = rows_,
                        .delivery = Delivery::consumer_thread};
    job.terms = [&](int64_t i) { return rows[static_cast<size_t>(layout.row_of(i))].terms; };
    job.descent.validate(model.objective);  // refuses before anything is written
    warn_of_unused(job.descent, model.objective, *host.log());
    for (const Row& row : rows) check_terms(field, row.terms);
    std::vector<std::string> names;
    for (const Row& row : rows) names.push_back(row.name);
    if (names.size() == 1 && names[0].empty()) names.clear();
    for (const Row& row : rows) {
      if (row.label) choice_.labels.push_back(*row.label);
    }
    if (choice_.class_folders && choice_.labels.empty()) {
      throw Error(ErrorKind::usage, "there are no classes to make folders for",
                  "class folders need a model with classes, and --labels in place of --mix");
    }
    const OutputFolder folder(out_);
    const bool earlier = std::filesystem::exists(std::filesystem::path(out_) / "samples.jsonl");
    warn_of_old_pictures(host);
    SampleOutput output(out_, model, codec, names, layout, origin(model), choice_);
    if (makes_latents(model) && !codec.has_autoencoder()) {
      host.log()->warn("the samples are latents, drawn by their first channels; {}",
                       where_autoencoders_come_from());
    }
    const bool whole = draw(field, job, output, host);
    if (!whole && earlier && !output.has_finished_samples()) {
      host.log()->info("the results of an earlier run in {} stay as they are", out_);
      return exit_code_of(interrupt_requested());
    }
    std::cout << output.summary();
    const int64_t lost = output.count_of(DescentStatus::diverged);
    if (lost > 0 && lost < job.count) {
      host.log()->warn("{} of {} samples diverged: lower --eta or raise --limit", lost, job.count);
    }
    const std::vector<std::string> written = output.finish();
    host.log()->info("wrote {} to {}", fmt::join(written, ", "), out_);
    if (earlier) remove_outdated(written, host);
    if (const int64_t count = output.npz_samples(); count > 0) {
      host.log()->info("wrote {} samples to {}", count, choice_.npz);
    }
    if (whole && lost == job.count) {
      throw Error(
          ErrorKind::numeric, "every sample diverged",
          "take smaller steps (--eta, --limit), looser tolerances or smaller weights; are the "
          "model's weights sound?");
    }
    return whole ? 0 : exit_code_of(interrupt_requested());
  }

 private:
  struct Row {
    std::string name;
    Terms terms;
    std::optional<int64_t> label = {};  // none for mixtures
  };

  std::vector<Row> rows_of(const Model& model, Host& host) const {
    if (!mix_.empty()) {
      if (!labels_.empty() || guidance_ != 1) {
        throw Error(ErrorKind::usage, "a mix says all weights itself",
                    "leave --labels and --guidance away, or write them as a mix");
      }
      return {{.name = mix_, .terms = mix_of(model, mix_)}};
    }
    std::vector<int64_t> labels;
    if (!labels_.empty()) {
      labels = labels_of(model, labels_);
    } else {
      const int64_t classes = std::min(model.backbone->num_classes(), kMostClassesByDefault);
      for (int64_t label = 0; label < classes; ++label) labels.push_back(label);
    }
    const int64_t known = model.backbone->num_classes();
    if (labels_.empty() && known > kMostClassesByDefault) {
      host.log()->info("drawing the first {} of {} classes; choose with --labels, or all",
                       kMostClassesByDefault, known);
    }
    if (labels.empty()) {
      if (guidance_ != 1) {
        throw Error(ErrorKind::usage, "guidance needs labels, and this model has none",
                    "leave --guidance at 1");
      }
      return {{.name = "", .terms = {}}};
    }
    std::vector<Row> rows;
    for (const int64_t label : labels) {
      rows.push_back({.name = label_name(model, label),
                      .terms = guidance_ == 1 ? only(label) : guidance(label, guidance_, guided_),
                      .label = label});
    }
    return rows;
  }

  void warn_of_old_pictures(Host& host) const {
    const std::filesystem::path folder = std::filesystem::path(out_) / "pictures";
    std::error_code ignored;
    if (!choice_.pictures || !std::filesystem::is_directory(folder, ignored)) return;
    if (std::filesystem::is_empty(folder, ignored)) return;
    host.log()->warn(
        "{} holds pictures of an earlier run: those with numbers that this one does not draw stay",
        folder.string());
  }

  // Figures of an earlier run that this one did not write show other samples than the grid.
  void remove_outdated(const std::vector<std::string>& written, Host& host) const {
    std::vector<std::string> removed;
    for (const std::string& name : figures_of_samples()) {
      std::error_code ignored;
      if (std::ranges::find(written, name) == written.end() &&
          std::filesystem::remove(std::filesystem::path(out_) / name, ignored)) {
        removed.push_back(name);
      }
    }
    if (!removed.empty()) {
      host.log()->info("removed {} of an earlier run", fmt::join(removed, ", "));
    }
  }

  // False when it was interrupted.
  static bool draw(const LearnedField& field, SamplingSpec& job, SampleOutput& output, Host& host) {
    host.begin_stoppable_work();
    SamplingProgress progress(host.progress(), "sampling", job.count,
                              job.descent.resolve(field.model().objective));
    job.watch = [&](int64_t sample, const Sight& sight) { output.watch(sample, sight); };
    job.done = [&](int64_t sample, const Outcome& outcome) { output.add(sample, outcome); };
    job.go_on = [&](const EngineCounts& counts) {
      progress.update(counts);
      return !host.stop_requested();
    };
    const EngineCounts counts = run_sampling(field, job);
    progress.end();
    host.log()->debug("{} rows in {} batches", counts.rows, counts.ticks);
    const bool whole = !host.stop_requested();
    if (!whole) {
      const int64_t unfinished = output.count_of(DescentStatus::cancelled);
      host.log()->warn(
          "interrupted: {} of {} samples are done; {} under way are shown as they are now, in "
          "samples.jsonl and the grid only, as 'cancelled'",
          counts.finished - unfinished, job.count, unfinished);
    }
    return whole;
  }

  // What made a picture, for its text chunks.
  PngText origin(const Model& model) const {
    return {{"Software", software_name()},
            {"Model", model_},
            {"Seed", std::to_string(seed_)},
            {"Rule", descent_.resolve(model.objective).described()},
            {"Guidance", mix_.empty() ? fmt::format("{}", guidance_) : mix_}};
  }

  std::string model_, labels_, mix_, out_ = "out/samples";
  int64_t per_class_ = 8, count_ = 0, seed_ = 0, rows_ = 0;
  double guidance_ = 1;
  GuidedChannels guided_ = GuidedChannels::all;
  OutputChoice choice_;
  DescentOptions descent_;
  CodecOptions codec_;
  RuntimeOptions runtime_;
};

}  // namespace

std::unique_ptr<Verb> sample_verb() {
  return std::make_unique<Sample>();
}

}  // namespace eqm::cli
