#include "eqm/landscape/objective_kind.h"

#include "eqm/base/error.h"

namespace eqm {

const std::vector<ObjectiveRow>& objective_rows() {
  static const std::vector<ObjectiveRow> rows = {
      {.kind = ObjectiveKind::eqm,
       .name = "eqm",
       .help = "Equilibrium Matching: one gradient field without time"},
      {.kind = ObjectiveKind::eqm_dot,
       .name = "eqm-dot",
       .help = "EqM with the explicit energy x·f(x)",
       .energy = [](const Tensor& x, const Tensor& f) { return (x * f).sum(1); }},
      {.kind = ObjectiveKind::eqm_l2,
       .name = "eqm-l2",
       .help = "EqM with the explicit energy ½‖f(x)‖²; starts from a trained EqM model ({init})",
       .energy = [](const Tensor&, const Tensor& f) { return 0.5 * f.square().sum(1); },
       .starts_from = {ObjectiveKind::eqm, ObjectiveKind::eqm_l2}},
      {.kind = ObjectiveKind::fm,
       .name = "fm",
       .help = "Flow Matching: a velocity that depends on time",
       .sees_time = true,
       .sampled_by = SampledBy::integration},
      {.kind = ObjectiveKind::fm_unconditional,
       .name = "fm-unconditional",
       .help = "Flow Matching without time",
       .sampled_by = SampledBy::integration},
      {.kind = ObjectiveKind::eqm_noise_condition,
       .name = "eqm-noise-condition",
       .help = "EqM that is shown γ: the paper's ablation",
       .sees_time = true},
      {.kind = ObjectiveKind::classifier,
       .name = "classifier",
       .help = "labels of images, whose features measure samples ({model} convnet)",
       .sampled_by = SampledBy::nothing}};
  return rows;
}

const ObjectiveRow& row_of(ObjectiveKind kind) {
  for (const ObjectiveRow& row : objective_rows()) {
    if (row.kind == kind) return row;
  }
  throw Error(ErrorKind::internal, "an objective has no row in objective_kind.cpp");
}

const Names<ObjectiveKind>& objective_names() {
  static const Names<ObjectiveKind> names = [] {
    Names<ObjectiveKind> all;
    for (const ObjectiveRow& row : objective_rows()) all.emplace_back(row.name, row.kind);
    return all;
  }();
  return names;
}

const Names<ObjectiveKind>& field_objective_names() {
  static const Names<ObjectiveKind> names = [] {
    Names<ObjectiveKind> fields = objective_names();
    std::erase_if(fields, [](const auto& entry) {
      return row_of(entry.second).sampled_by == SampledBy::nothing;
    });
    return fields;
  }();
  return names;
}

std::string name_of(ObjectiveKind kind) {
  return std::string(row_of(kind).name);
}

bool sees_time(ObjectiveKind kind) {
  return row_of(kind).sees_time;
}

bool has_energy(ObjectiveKind kind) {
  return row_of(kind).energy != nullptr;
}

bool is_flow(ObjectiveKind kind) {
  return row_of(kind).sampled_by == SampledBy::integration;
}

bool is_classifier(ObjectiveKind kind) {
  return row_of(kind).sampled_by == SampledBy::nothing;
}

}  // namespace eqm
