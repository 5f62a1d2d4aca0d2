#include "eqm/landscape/import_model.h"

#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/backbone/kinds.h"
#include "eqm/base/error.h"
#include "eqm/io/file_kind.h"
#include "eqm/io/json_value.h"
#include "eqm/io/safetensors.h"
#include "eqm/io/text.h"
#include "eqm/io/weights_file.h"
#include "eqm/landscape/model_card.h"
#include "eqm/landscape/training_arguments.h"
#include "eqm/tensor/bridge.h"

namespace eqm {
namespace {

constexpr int64_t kLatentChannels = 4;  // of Stable Diffusion
constexpr double kReferenceSign = -1;

// What the weights are of, as far as the file says.
struct Described {
  std::string architecture;
  Model model;  // without a backbone
};

Scaling scaling_for(int64_t channels) {
  return channels == kLatentChannels ? Scaling::latents() : Scaling::pixels();
}

// The hints, with the classes of the file's arguments where they fit. The arguments may be defaults
// that nobody looked at; the shapes are sure.
ShapeHints hints_for(const WeightsFile& file, const WeightShapes& shapes, ShapeHints hints) {
  if (hints.classes > 0) return hints;
  const auto table = shapes.find("y_embedder.embedding_table.weight");
  if (table == shapes.end() || table->second.empty()) return hints;
  const int64_t rows = table->second[0], classes = classes_from(file.arguments());
  if (rows == classes || rows == classes + 1) hints.classes = classes;
  return hints;
}

Described described_by_shapes(const WeightsFile& file, const ImportOptions& options) {
  WeightShapes shapes;
  for (const NamedWeights& item : file.tensors()) shapes[item.name] = item.view.shape;
  const BackboneKind& kind = kind_of_weights(shapes);
  Described found;
  found.architecture = kind.from_shapes(shapes, hints_for(file, shapes, options.hints));
  found.model.output_sign = options.output_sign.value_or(kReferenceSign);
  const auto json = nlohmann::json::parse(found.architecture);
  found.model.scaling = scaling_for(json_value<int64_t>(json.at("in_channels")));
  if (options.objective) {
    found.model.objective.kind = *options.objective;
  } else if (!json.contains("ignore_time")) {
    found.model.objective = objective_from(file.arguments());
  } else if (!json.at("ignore_time").get<bool>()) {
    // Flow Matching is all that the code base of the U-Net trains.
    found.model.objective.kind = ObjectiveKind::fm;
  }
  return found;
}

[[noreturn]] void refuse_contradiction(const std::string& option, const std::string& asked,
                                       const std::string& said) {
  throw Error(ErrorKind::usage,
              fmt::format("{{{}}} is {}, and the file itself says {}", option, asked, said),
              fmt::format("omit {{{}}}; the file was written with all that it needs", option));
}

void refuse_contradictions(const ModelCard& card, const ImportOptions& options) {
  const ObjectiveKind kind = card.model.objective.kind;
  if (options.objective && *options.objective != kind) {
    refuse_contradiction("objective", name_of(*options.objective), name_of(kind));
  }
  const auto sign_text = [](double sign) { return sign < 0 ? "reference" : "eqm"; };
  if (options.output_sign && *options.output_sign != card.model.output_sign) {
    refuse_contradiction("sign", sign_text(*options.output_sign),
                         sign_text(card.model.output_sign));
  }
  const auto architecture = nlohmann::json::parse(card.architecture);
  const ShapeHints& hints = options.hints;
  for (const auto& [option, key, asked] :
       {std::tuple("heads", "num_heads", hints.heads),
        std::tuple("head-channels", "num_head_channels", hints.head_channels),
        std::tuple("size", "input_size", hints.size),
        std::tuple("classes", "num_classes", hints.classes)}) {
    if (asked == 0) continue;
    const nlohmann::json said = architecture.value(key, nlohmann::json());
    if (said != asked) {
      refuse_contradiction(option, std::to_string(asked),
                           said.is_null() ? "nothing of it" : said.dump());
    }
  }
}

ModelCard card_in(const std::string& text, const std::filesystem::path& path) {
  try {
    return read_model_card(text);
  } catch (const Error& error) {
    throw Error(ErrorKind::input, fmt::format("{}: {}", in_quotes(path.string()), error.what()),
                error.hint());
  }
}

// A file that save_for_torch() wrote says all itself.
Described described_by(const WeightsFile& file, const std::filesystem::path& path,
                       const ImportOptions& options) {
  const auto card = file.metadata().find(kModelCardKey);
  if (card == file.metadata().end()) return described_by_shapes(file, options);
  ModelCard read = card_in(card->second, path);
  refuse_contradictions(read, options);
  return {.architecture = std::move(read.architecture), .model = std::move(read.model)};
}

// Those of the options stand for those of the file.
void give_names(Described& found, const std::vector<std::string>& names) {
  if (names.empty()) return;
  const auto known =
      nlohmann::json::parse(found.architecture).value("num_classes", nlohmann::json());
  const int64_t classes = known.is_number_integer() ? known.get<int64_t>() : 0;
  if (static_cast<int64_t>(names.size()) != classes) {
    throw Error(ErrorKind::usage,
                fmt::format("{} class names were given, and the weights are of {} classes",
                            names.size(), classes),
                "give one name for each class, in the order of the labels");
  }
  found.model.class_names = names;
}

Dtype stored_type(const NamedWeights& item, const ImportOptions& options) {
  if (!torch::isFloatingType(scalar_type(item.view.dtype))) {
    throw Error(ErrorKind::input,
                fmt::format("the weights {} are {}, not numbers with a fraction",
                            in_quotes(item.name), name_of(item.view.dtype)),
                "quantised weights cannot be imported; find those they were made from");
  }
  return options.stored ? file_dtype(*options.stored) : item.view.dtype;
}

// Its sign and objective are written in it; those we would assume may be others.
void refuse_own_model(const WeightsFile& file, const std::filesystem::path& path) {
  const bool own = file.metadata().contains(kModelCardKey);
  if (!own || kind_of_file(path) != FileKind::safetensors) return;
  throw Error(ErrorKind::input,
              fmt::format("{} is a model of eqm already", in_quotes(path.string())),
              "use it as it is; eqm export changes its precision");
}

void write_weights(const NamedWeights& item, Dtype stored, SafetensorsWriter& writer) {
  if (item.view.dtype == stored && is_contiguous(item.view)) {
    writer.write(item.view.bytes);
    return;
  }
  const Tensor tensor = to_tensor(item.view, nullptr).to(scalar_type(stored)).contiguous();
  writer.write(to_view(tensor).bytes);
}

}  // namespace

ImportReport import_model(const std::filesystem::path& from, const std::filesystem::path& to,
                          const ImportOptions& options) {
  const WeightsFile file = WeightsFile::open(from, options.weights);
  ImportReport report;
  report.chosen = file.chosen();
  refuse_own_model(file, from);
  Described found = described_by(file, from, options);
  give_names(found, options.class_names);
  report.architecture = found.architecture;
  report.objective = found.model.objective;
  report.class_names = found.model.class_names;
  const std::map<std::string, std::string> metadata =
      model_metadata(found.model, found.architecture);

  std::map<std::string, const NamedWeights*> by_name;
  std::vector<TensorSpec> specs;
  for (const NamedWeights& item : file.tensors()) {
    by_name[item.name] = &item;
    specs.push_back({item.name, stored_type(item, options), item.view.shape});
  }
  SafetensorsWriter writer(to, std::move(specs), metadata);
  const auto total = static_cast<int64_t>(writer.tensors().size());
  std::set<std::string> checked;
  for (const TensorSpec& spec : writer.tensors()) {
    const NamedWeights& item = *by_name.at(spec.name);
    if (options.check && checked.insert(item.storage).second) file.check(item);
    write_weights(item, spec.dtype, writer);
    file.release(item);
    report.bytes += byte_count(spec.dtype, spec.shape).value_or(0);
    ++report.tensors;
    if (options.progress) options.progress(report.tensors, total);
  }
  writer.commit();
  return report;
}

}  // namespace eqm
