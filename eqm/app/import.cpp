#include "eqm/app/import.h"

#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "eqm/app/written_file.h"
#include "eqm/base/error.h"
#include "eqm/data/class_names.h"
#include "eqm/io/quoted_list.h"
#include "eqm/io/text.h"

namespace eqm::app {
namespace {

const Names<WeightsChoice>& weights_names() {
  static const Names<WeightsChoice> names = {{"auto", WeightsChoice::automatic},
                                             {"ema", WeightsChoice::ema},
                                             {"model", WeightsChoice::model}};
  return names;
}

using StoredType = std::optional<torch::ScalarType>;

const Names<StoredType>& import_types() {
  static const Names<StoredType> names = {{"as-is", std::nullopt},
                                          {"float32", torch::kFloat32},
                                          {"float16", torch::kFloat16},
                                          {"bfloat16", torch::kBFloat16}};
  return names;
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

}  // namespace

void ModelImportOptions::declare(OptionSet& options) {
  options.text("from", from, "a .pt or .safetensors file");
  options.text("out", out, "the model file to write");
  options.choice("weights", weights, weights_names(),
                 "which weights to take; auto is the moving average where there is one");
  options.count("heads", hints.heads, Range::between(0, 16384),
                "attention heads; 0 takes those of the preset of that width");
  options.count("head-channels", hints.head_channels, Range::between(0, 16384),
                "channels per head of a U-Net, in place of {heads}; 0 for none");
  options.count("size", hints.size, Range::between(0, 4096),
                "height and width of a U-Net's states; 0 takes 32");
  options.count(
      "classes", hints.classes, Range::between(0, 1e7),
      "number of classes; 0 takes all rows of the label table but the last, the null class");
  options.text("class-names", class_names,
               "class names: a text file with one per line, or a list separated by commas");
  options.choice("objective", objective, with_auto(all_names(objective_names())),
                 "what the network was trained to predict");
  options.choice("sign", sign, with_auto(all_names(sign_names())),
                 "reference: the network predicts from noise to data; eqm: the gradient; auto is "
                 "what a file of eqm says, else reference");
  options.choice("stored", stored, import_types(), "type of the weights in the model file");
  options.flag("check", check, "verifies the checkpoint's checksums");
}

ModelImportResult run(const ModelImportOptions& options, Host& host) {
  if (options.from.empty()) {
    throw Error(ErrorKind::usage, "no file was given", "give a checkpoint by {from}");
  }
  if (options.out.empty()) {
    throw Error(ErrorKind::usage, "no file to write was given", "use {out} FILE.safetensors");
  }
  require_safetensors_name(options.out);
  require_another_file(options.out, options.from);
  ImportOptions how = {.weights = options.weights,
                       .hints = options.hints,
                       .objective = find_named(objective_names(), options.objective),
                       .output_sign = find_named(sign_names(), options.sign),
                       .stored = options.stored,
                       .check = options.check,
                       .class_names = names_given(options.class_names),
                       .progress = {}};
  bool begun = false;
  how.progress = [&](int64_t done, int64_t total) {
    if (!std::exchange(begun, true)) host.progress().begin("importing", total, "tensors");
    host.progress().update(done, "");
  };
  ModelImportResult result = {.report = import_model(options.from, options.out, how),
                              .file = options.out};
  host.progress().end();
  host.wrote(options.out);
  host.log()->info("wrote {}", options.out);
  return result;
}

}  // namespace eqm::app
