// eqm import: weights of the reference implementation, of SiT, or of Flow Matching's U-Net, as a
// model file of ours.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "cli/verb.h"
#include "eqm/app/written_file.h"
#include "eqm/backbone/architecture_text.h"
#include "eqm/base/error.h"
#include "eqm/data/class_names.h"
#include "eqm/io/quoted_list.h"
#include "eqm/io/text.h"
#include "eqm/landscape/import_model.h"

namespace eqm::cli {
namespace {

const Names<WeightsChoice>& weights_names() {
  static const Names<WeightsChoice> names = {{"auto", WeightsChoice::automatic},
                                             {"ema", WeightsChoice::ema},
                                             {"model", WeightsChoice::model}};
  return names;
}

enum class Stored { as_is, float32, float16, bfloat16 };

const Names<Stored>& stored_names() {
  static const Names<Stored> names = {{"as-is", Stored::as_is},
                                      {"float32", Stored::float32},
                                      {"float16", Stored::float16},
                                      {"bfloat16", Stored::bfloat16}};
  return names;
}

std::optional<torch::ScalarType> type_of(Stored stored) {
  switch (stored) {
    case Stored::as_is:
      return std::nullopt;
    case Stored::float32:
      return torch::kFloat32;
    case Stored::float16:
      return torch::kFloat16;
    case Stored::bfloat16:
      return torch::kBFloat16;
  }
  return std::nullopt;
}

const Names<double>& sign_names() {
  static const Names<double> names = {{"reference", -1}, {"eqm", 1}};
  return names;
}

// A list that is no file has a comma; what has none is a file that is not there, or one name.
std::vector<std::string> names_given(const std::string& text) {
  if (text.empty()) return {};
  std::error_code ignored;
  const bool like_a_path = text.find_first_of("/\\") != std::string::npos || text.ends_with(".txt");
  const bool is_list = text.find(',') != std::string::npos || !like_a_path;
  if (std::filesystem::exists(text, ignored) || !is_list) {
    return read_class_names(text, "give a text file with one name per line");
  }
  std::vector<std::string> names;
  bool is_clean = is_utf8(text);
  for (const ListPart& part : quoted_parts(text)) {
    is_clean = is_clean && !part.text.empty() && part.rest.empty();
    names.push_back(part.text);
  }
  if (!is_clean) {
    throw Error(
        ErrorKind::usage, fmt::format("{} is not a list of class names", in_quotes(text)),
        "write one name between every two commas, in UTF-8, one with a comma in double quotes, or "
        "name a text file with one per line");
  }
  return names;
}

std::vector<std::string> with_auto(std::vector<std::string> names) {
  names.insert(names.begin(), "auto");
  return names;
}

class Import final : public Verb {
 public:
  std::string name() const override { return "import"; }
  std::string summary() const override {
    return "Makes a model of a PyTorch checkpoint of EqM, SiT or a U-Net, or of safetensors";
  }
  std::string advice() const override {
    return R"(Reads checkpoints of torch.save, training checkpoints (model, ema, opt, args) and bare state dictionaries, and
safetensors under the same names. Nothing in a checkpoint is run. The architecture follows from the shapes; heads are
those of the preset of that width. What the checkpoint's arguments say about the objective is believed; a bare state
dictionary is taken for EqM, so give --objective fm for SiT. The U-Net of Flow Matching is taken for fm.

Examples:
  eqm import EqM-XL-2.pt --out eqm-xl2.safetensors
  eqm import EqM-XL-2.pt --class-names imagenet-classes.txt --out eqm-xl2.safetensors
  eqm import unet.pt --heads 1 --size 32 --out unet.safetensors)";
  }
  std::string positional() const override { return "from"; }

  void declare(OptionSet& options) override {
    options.text("from", from_, "a .pt or .safetensors file");
    options.text("out", out_, "the model file to write");
    options.choice("weights", weights_, weights_names(),
                   "auto is the running average where there is one");
    options.count("heads", hints_.heads, Range::between(0, 16384),
                  "heads of the attention; 0 takes those of the preset of that width");
    options.count("head-channels", hints_.head_channels, Range::between(0, 16384),
                  "channels of each head of a U-Net, in place of --heads; 0 for none");
    options.count("size", hints_.size, Range::between(0, 4096),
                  "height and width of a U-Net's states; 0 takes 32");
    options.count("classes", hints_.classes, Range::between(0, 1e7),
                  "0 takes all rows of the label table but the last, the null class");
    options.text("class-names", class_names_,
                 "names of the classes: a text file with one per line, or a list with commas");
    options.choice("objective", objective_, with_auto(all_names(objective_names())),
                   "what the network was trained to predict");
    options.choice("sign", sign_, with_auto(all_names(sign_names())),
                   "reference: the network predicts from noise to data; eqm: the gradient; auto is "
                   "what a file of eqm says, else reference");
    options.choice("stored", stored_, stored_names(), "type of the weights in the model file");
    options.flag("check", check_, "compares the checkpoint's checksums");
  }

  int run(const OptionSet&, Host& host) override {
    if (from_.empty()) throw Error(ErrorKind::usage, "no file was given", "use `eqm import FILE`");
    if (out_.empty()) {
      throw Error(ErrorKind::usage, "no file to write was given", "use --out FILE.safetensors");
    }
    require_safetensors_name(out_);
    require_another_file(out_, from_);
    ImportOptions options = {.weights = weights_,
                             .hints = hints_,
                             .objective = find_named(objective_names(), objective_),
                             .output_sign = find_named(sign_names(), sign_),
                             .stored = type_of(stored_),
                             .check = check_,
                             .class_names = names_given(class_names_),
                             .progress = {}};
    bool begun = false;
    options.progress = [&](int64_t done, int64_t total) {
      if (!std::exchange(begun, true)) host.progress().begin("importing", total, "tensors");
      host.progress().update(done, "");
    };
    const ImportReport report = import_model(from_, out_, options);
    host.progress().end();
    print(report);
    host.log()->info("wrote {}", out_);
    return 0;
  }

 private:
  static void line(const std::string& topic, const std::string& text) {
    std::cout << fmt::format("{:<14} {}\n", topic, text);
  }

  static void print(const ImportReport& report) {
    line("weights",
         fmt::format("{}, {} tensors, {:.1f} MB", report.chosen.empty() ? "all" : report.chosen,
                     report.tensors, static_cast<double>(report.bytes) / 1e6));
    line("architecture", architecture_text(report.architecture));
    line("objective", name_of(report.objective.kind));
    if (!report.class_names.empty()) {
      line("classes", fmt::format("{}, from {} to {}", report.class_names.size(),
                                  report.class_names.front(), report.class_names.back()));
    }
  }

  std::string from_, out_, class_names_, objective_ = "auto", sign_ = "auto";
  WeightsChoice weights_ = WeightsChoice::automatic;
  ShapeHints hints_;
  Stored stored_ = Stored::as_is;
  bool check_ = true;
};

}  // namespace

std::unique_ptr<Verb> import_verb() {
  return std::make_unique<Import>();
}

}  // namespace eqm::cli
