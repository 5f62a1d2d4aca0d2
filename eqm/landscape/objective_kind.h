// The objectives there are, one row each. The option {objective}, `eqm list objectives`, model
// files, losses, samplers and errors all come from these rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eqm/base/names.h"
#include "eqm/tensor/torch.h"

namespace eqm {

enum class ObjectiveKind {
  eqm,                  // the gradient itself; γ never shown
  eqm_dot,              // the gradient of g(x) = x·f(x)
  eqm_l2,               // the gradient of g(x) = ½‖f(x)‖²
  fm,                   // Flow Matching: velocity, time shown
  fm_unconditional,     // Flow Matching without time
  eqm_noise_condition,  // the EqM target with γ shown: the paper's ablation
  classifier,           // no landscape: labels of images, whose features measure samples
};

// How samples are drawn of a model, unless a rule is asked for.
enum class SampledBy {
  descent,      // of the landscape
  integration,  // over time from 0 to 1: a flow, trained with c = 1
  nothing,      // there is no field
};

struct ObjectiveRow {
  ObjectiveKind kind = ObjectiveKind::eqm;
  std::string_view name;
  std::string_view help;
  bool sees_time = false;  // the model is shown γ (or t)
  // The explicit energy, of whose derivative by x the loss is: x and the model's output f, both
  // [B, n], to [B]. Null: the output is the gradient itself.
  Tensor (*energy)(const Tensor& x, const Tensor& f) = nullptr;
  SampledBy sampled_by = SampledBy::descent;
  // Training must begin with a model of one of these; empty: with any or none.
  std::vector<ObjectiveKind> starts_from = {};
};

const std::vector<ObjectiveRow>& objective_rows();
const ObjectiveRow& row_of(ObjectiveKind kind);

const Names<ObjectiveKind>& objective_names();
const Names<ObjectiveKind>& field_objective_names();  // without those that have no field
std::string name_of(ObjectiveKind kind);

// Single questions to the row.
bool sees_time(ObjectiveKind kind);
bool has_energy(ObjectiveKind kind);
bool is_flow(ObjectiveKind kind);
bool is_classifier(ObjectiveKind kind);

}  // namespace eqm
