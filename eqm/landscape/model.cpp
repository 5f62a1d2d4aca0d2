#include "eqm/landscape/model.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/backbone/weights.h"
#include "eqm/base/error.h"
#include "eqm/io/file_kind.h"
#include "eqm/landscape/model_card.h"

namespace eqm {
namespace {

// Room for a model whose file lacks or misnames some weights: load_tensors() says which.
constexpr double kSmallModel = 1e6;

double weights_in(const SafetensorsFile& file) {
  double count = 0;
  for (const std::string& name : file.names()) {
    const TensorView& view = file.at(name);
    count += static_cast<double>(view.bytes.size() / size_of(view.dtype));
  }
  return count;
}

Model model_from_card(const std::string& text, double weights) {
  ModelCard card = read_model_card(text);
  Model model = std::move(card.model);
  model.backbone = make_backbone(card.architecture, std::max(weights, kSmallModel));
  const auto names = static_cast<int64_t>(model.class_names.size());
  if (names != 0 && names != model.backbone->num_classes()) {
    throw Error(ErrorKind::input,
                fmt::format("the model file names {} classes and has {}", names,
                            model.backbone->num_classes()),
                "the file was changed by hand or damaged; export or import the model again");
  }
  return model;
}

}  // namespace

void save_model(const Model& model, const std::filesystem::path& path,
                std::optional<torch::ScalarType> stored) {
  NamedTensors weights = weights_of(*model.backbone);
  for (auto& [name, weight] : weights) {
    if (stored) weight = weight.detach().to(*stored);
  }
  save_tensors(path, weights, model_metadata(model, model.backbone->architecture()));
}

std::map<std::string, std::string> model_metadata(const Model& model,
                                                  const std::string& architecture) {
  return {{kModelCardKey, write_model_card(model, architecture)}};
}

Model load_model(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) && kind_of_file(path) == FileKind::zip) {
    throw Error(ErrorKind::input,
                fmt::format("'{}' is a PyTorch or zip file, not an eqm model", path.string()),
                "import a checkpoint of another program first");
  }
  const SafetensorsFile file = SafetensorsFile::open(path);
  const auto entry = file.metadata().find(kModelCardKey);
  if (entry == file.metadata().end()) {
    throw Error(ErrorKind::input,
                fmt::format("'{}' is a safetensors file but not an eqm model", path.string()),
                "its metadata lacks the key 'eqm'");
  }
  try {
    Model model = model_from_card(entry->second, weights_in(file));
    // Double weights stay double; narrower ones are computed with in float32.
    const bool wide = !file.names().empty() && file.at(file.names().front()).dtype == Dtype::f64;
    if (wide) model.backbone->to(torch::kFloat64);
    load_tensors(weights_of(*model.backbone), file);
    return model;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::input,
                fmt::format("'{}' describes its model badly ({})", path.string(), error.what()),
                "the file may be damaged; write it again");
  } catch (const Error& error) {
    throw Error(ErrorKind::input, fmt::format("'{}': {}", path.string(), error.what()),
                error.hint());
  }
}

Model load_model(const std::filesystem::path& path, const Runtime& runtime) {
  Model model = load_model(path);
  model.backbone->to(runtime.device, runtime.dtype);
  return model;
}

LearnedField::LearnedField(Model model) : model_(std::move(model)) {
  if (is_classifier(model_.objective.kind)) {
    throw Error(ErrorKind::input, "this model is a classifier and has no landscape",
                "give a model that was trained with {objective} eqm or another landscape");
  }
  if (!sees_time(model_.objective.kind)) table_ = std::make_shared<ConditionTable>(model_.backbone);
}

FieldValue LearnedField::evaluate(const Tensor& x, const Condition& condition) const {
  const Backbone& backbone = *model_.backbone;
  const Conditioning conditioning = table_ ? table_->rows(condition.labels, x.size(0))
                                           : backbone.conditioning(condition, x.size(0));
  return evaluate_field(backbone, model_.objective.kind, model_.output_sign, x, conditioning,
                        Graph::discard);
}

Tensor LearnedField::gradient(const Tensor& x, const Condition& condition) const {
  const torch::NoGradGuard guard;
  return evaluate(x, condition).gradient;
}

GradientAndEnergy LearnedField::gradient_and_energy(const Tensor& x,
                                                    const Condition& condition) const {
  if (!has_energy()) return Field::gradient_and_energy(x, condition);
  const torch::NoGradGuard guard;
  const FieldValue value = evaluate(x, condition);
  return {.gradient = value.gradient, .energy = value.energy};
}

int64_t LearnedField::label_count() const {
  return std::max(model_.backbone->null_label() + 1, model_.backbone->num_classes());
}

double LearnedField::activation_floats_per_row() const {
  constexpr double kGraphOfGradient = 8;  // an energy keeps activations for its derivative
  return model_.backbone->activation_floats_per_row() * (has_energy() ? kGraphOfGradient : 1);
}

}  // namespace eqm
