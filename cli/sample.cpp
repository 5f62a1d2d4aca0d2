// eqm sample: draws samples from a model.
#include <charconv>
#include <cmath>
#include <iostream>
#include <map>
#include <span>

#include <fmt/format.h>

#include "cli/verb.h"
#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/codec/pictures.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/csv.h"
#include "eqm/io/png.h"
#include "eqm/io/text.h"
#include "eqm/tensor/runtime.h"
#include "eqm/train/run_folder.h"

namespace eqm::cli {
namespace {

constexpr int64_t kMostGridPictures = 400;
constexpr int64_t kMostClassesByDefault = 10;

// One label by number or name.
int64_t label_from(const std::string& text, const Model& model) {
  const auto classes = static_cast<int64_t>(model.backbone->num_classes());
  for (size_t i = 0; i < model.class_names.size(); ++i) {
    if (model.class_names[i] == text) return static_cast<int64_t>(i);
  }
  int64_t label = -1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, label);
  if (error == std::errc{} && stop == end && label >= 0 && label < classes) return label;
  throw Error(ErrorKind::usage, fmt::format("labels: the model has no class '{}'", text),
              classes == 0                ? "it was trained without classes; leave labels away"
              : model.class_names.empty() ? fmt::format("give numbers from 0 to {}", classes - 1)
                                          : suggestion(text, model.class_names));
}

// Empty text: every class, up to ten; none for a model without classes.
std::vector<int64_t> labels_from(const std::string& text, const Model& model) {
  std::vector<int64_t> labels;
  if (text.empty()) {
    const int64_t classes = std::min(model.backbone->num_classes(), kMostClassesByDefault);
    for (int64_t label = 0; label < classes; ++label) labels.push_back(label);
    return labels;
  }
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    labels.push_back(
        label_from(std::string(trimmed(std::string_view(text).substr(begin, end - begin))), model));
    begin = end + 1;
  }
  return labels;
}

std::string row_name(const Model& model, int64_t label) {
  const auto index = static_cast<size_t>(label);
  return index < model.class_names.size() ? model.class_names[index] : std::to_string(label);
}

class Sample final : public Verb {
 public:
  std::string name() const override { return "sample"; }
  std::string summary() const override { return "Draws samples from a trained model"; }
  std::string advice() const override {
    return R"(Sample i of a seed is the same picture in any batch. Fewer steps (--limit) are faster; the step size follows by
itself unless --eta is given. --guidance above 1 makes samples more typical of their class.

Examples:
  eqm sample --model models/fashion-xs4.safetensors --out out/fashion
  eqm sample --model runs/fashion --labels "coat,bag" --per-class 8 --guidance 1.5)";
  }
  std::string positional() const override { return "model"; }

  void declare(OptionSet& options) override {
    options.text("model", model_, "a model file, a run folder or a checkpoint");
    options.text("labels", labels_,
                 "classes by name or number, with commas; empty for the first ten");
    options.count("per-class", per_class_, Range::between(1, 100000), "samples of each class");
    options.number("guidance", guidance_, Range::between(0, 1000), "1 for none");
    options.count("seed", seed_, Range::between(0, 9e15), "where samples start");
    options.section("descent");
    descent_.declare(options);
    options.section("output");
    options.text("out", out_, "folder for the grid and the pictures");
    options.count("batch", batch_, Range::between(1, 100000), "samples computed at once");
    runtime_.declare(options);
  }

  int run(const OptionSet&, Console& console) override {
    const torch::TensorOptions type = start_runtime(runtime_);
    if (model_.empty()) throw Error(ErrorKind::usage, "no model was given", "use --model FILE");
    Model model = load_model(find_model(model_));
    model.backbone->to(type.device(), torch::typeMetaToScalarType(type.dtype()));
    const std::vector<int64_t> classes = labels_from(labels_, model);
    create_folder(out_);
    const Tensor states = draw(LearnedField(model), classes, console);
    if (states.dim() == 2) {
      write_points(states, model, console);
    } else {
      write(model, classes, states, console);
    }
    return 0;
  }

 private:
  Tensor draw(const LearnedField& field, const std::vector<int64_t>& classes, Console& console) {
    const Tensor labels = torch::tensor(classes, torch::kInt64).repeat_interleave(per_class_);
    const int64_t count = classes.empty() ? per_class_ : labels.size(0);
    std::vector<Tensor> states;
    std::map<std::string, int64_t> outcomes;
    double steps = 0;
    console.progress.begin("sampling", count, "samples");
    for (int64_t first = 0; first < count; first += batch_) {
      const int64_t some = std::min(batch_, count - first);
      SamplingRequest request = {.labels = {},
                                 .count = some,
                                 .guidance = guidance_,
                                 .seed = static_cast<uint64_t>(seed_),
                                 .first_sample = first,
                                 .descent = descent_};
      if (!classes.empty()) request.labels = labels.narrow(0, first, some);
      const DescentResult result = sample(field, request);
      states.push_back(result.x.cpu());
      for (const SampleRecord& record : result.samples) {
        ++outcomes[name_of(record.status)];
        steps += static_cast<double>(record.steps);
      }
      console.progress.update(first + some, "");
    }
    console.progress.end();
    if (const auto lost = outcomes.find(name_of(DescentStatus::diverged)); lost != outcomes.end()) {
      console.log->warn("{} of {} samples diverged: lower --eta or raise --limit", lost->second,
                        count);
    }
    for (const auto& [status, n] : outcomes) std::cout << fmt::format("{:<10} {}\n", status, n);
    std::cout << fmt::format("{:<10} {:.1f}\n", "mean steps", steps / static_cast<double>(count));
    return torch::cat(states);
  }

  void write_points(const Tensor& states, const Model& model, Console& console) const {
    const Tensor values = model.scaling.to_values(states.to(torch::kFloat64)).contiguous();
    std::vector<std::string> header;
    for (int64_t i = 0; i < values.size(1); ++i) header.push_back(fmt::format("x{}", i));
    const auto count = static_cast<size_t>(values.numel());
    write_csv(std::filesystem::path(out_) / "samples.csv", header,
              std::span<const double>(values.data_ptr<double>(), count), values.size(1));
    console.log->info("wrote {}/samples.csv", out_);
  }

  // What made a picture, for its text chunks.
  PngText origin(const Model& model) const {
    return {{"Software", "eqm " EQM_VERSION},
            {"Model", model_},
            {"Seed", std::to_string(seed_)},
            {"Rule", descent_.resolved(model.objective).described()},
            {"Guidance", fmt::format("{}", guidance_)}};
  }

  void write(const Model& model, const std::vector<int64_t>& classes, const Tensor& states,
             Console& console) {
    std::vector<std::string> rows;
    for (const int64_t label : classes) rows.push_back(row_name(model, label));
    const std::vector<Image> pictures = pictures_of(states, model.scaling);
    const std::filesystem::path folder = std::filesystem::path(out_) / "pictures";
    create_folder(folder);
    if (!std::filesystem::is_empty(folder)) {
      console.log->warn("{} already holds pictures; those of the same numbers are replaced",
                        folder.string());
    }
    for (size_t i = 0; i < pictures.size(); ++i) {
      PngText text = origin(model);
      text.emplace_back("Sample", std::to_string(i));
      if (!rows.empty()) text.emplace_back("Label", rows[i / static_cast<size_t>(per_class_)]);
      write_png(folder / fmt::format("{:06}.png", i), pictures[i], text);
    }
    console.log->info("wrote {} pictures to {}", pictures.size(), folder.string());
    if (states.size(0) > kMostGridPictures) return;
    const int64_t columns = rows.empty() ? grid_columns(states.size(0)) : per_class_;
    write_png(std::filesystem::path(out_) / "grid.png",
              picture_grid(states, model.scaling, columns, rows, ""), origin(model));
    console.log->info("wrote {}/grid.png", out_);
  }

  static int64_t grid_columns(int64_t count) {
    return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(std::sqrt(count))));
  }

  std::string model_, labels_, out_ = "out/samples";
  int64_t per_class_ = 8, seed_ = 0, batch_ = 64;
  double guidance_ = 1;
  DescentOptions descent_;
  RuntimeOptions runtime_;
};

}  // namespace

std::unique_ptr<Verb> sample_verb() {
  return std::make_unique<Sample>();
}

}  // namespace eqm::cli
