// A model: a backbone and what its numbers mean. One safetensors file holds both.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eqm/backbone/backbone.h"
#include "eqm/backbone/condition_table.h"
#include "eqm/landscape/field.h"
#include "eqm/landscape/objective.h"
#include "eqm/landscape/scaling.h"
#include "eqm/tensor/runtime.h"

namespace eqm {

struct Model {
  std::shared_ptr<Backbone> backbone;
  Objective objective;
  Scaling scaling;
  double output_sign = 1;  // -1 for weights of the reference implementation, which predict (x-ε)c
  std::vector<std::string> class_names;
};

// `stored` is the type the weights have in the file; float16 halves it at a loss of some digits.
// Without it they keep their own.
void save_model(const Model& model, const std::filesystem::path& path,
                std::optional<torch::ScalarType> stored = std::nullopt);
// In the file's own precision, on the CPU.
Model load_model(const std::filesystem::path& path);
// On the device and in the precision of the runtime.
Model load_model(const std::filesystem::path& path, const Runtime& runtime);

// What a model file says beside the weights, for whoever writes them without building the network:
// the model's backbone may be null.
std::map<std::string, std::string> model_metadata(const Model& model,
                                                  const std::string& architecture);

// The model as a field. Explicit energies answer their gradient; a flow answers minus its velocity.
// Models without time input never see a time, whatever the condition says; what a label does to
// them is computed once per label, so that the weights must not change while the field lives.
class LearnedField final : public Field {
 public:
  explicit LearnedField(Model model);

  Tensor gradient(const Tensor& x, const Condition& condition) const override;
  bool has_energy() const override { return eqm::has_energy(model_.objective.kind); }
  GradientAndEnergy gradient_and_energy(const Tensor& x, const Condition& condition) const override;
  int64_t null_label() const override { return model_.backbone->null_label(); }
  int64_t label_count() const override;
  double activation_floats_per_row() const override;

  const Model& model() const { return model_; }

 private:
  FieldValue evaluate(const Tensor& x, const Condition& condition) const;

  Model model_;
  std::shared_ptr<ConditionTable> table_;  // null for models that see time
};

}  // namespace eqm
