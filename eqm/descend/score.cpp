#include "eqm/descend/score.h"

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/tensor/rows.h"

namespace eqm {
namespace {

Tensor energies(const Field& field, const Tensor& x, const Condition& condition) {
  return field.gradient_and_energy(x, condition).energy;
}

Tensor gradient_norms(const Field& field, const Tensor& x, const Condition& condition) {
  return row_norms(field.gradient(x, condition).to(torch::kFloat64));
}

std::string without_rest(ObjectiveKind objective) {
  if (is_flow(objective)) return "data do not rest in a flow";
  if (sees_time(objective)) return "its gradient depends on the noise level it is given";
  return "";
}

std::string without_energy(ObjectiveKind objective) {
  const std::string problem = without_rest(objective);
  return problem.empty() && !has_energy(objective) ? "it has no explicit energy" : problem;
}

}  // namespace

const std::vector<ScoreRow>& score_rows() {
  static const std::vector<ScoreRow> rows = {
      {.kind = ScoreKind::automatic,
       .name = "auto",
       .help = "the energy of a model that has one, else the norm"},
      {.kind = ScoreKind::energy,
       .name = "energy",
       .help = "the energy",
       .scores = energies,
       .quantity = "energy",
       .problem = without_energy},
      {.kind = ScoreKind::norm,
       .name = "norm",
       .help = "the norm of the gradient",
       .scores = gradient_norms,
       .quantity = "gradient norm",
       .problem = without_rest},
      {.kind = ScoreKind::typicality,
       .name = "typicality",
       .help = "how far auto is from typical data, above or below",
       .two_sided = true},
      {.kind = ScoreKind::norm_typicality,
       .name = "norm-typicality",
       .help = "the same of the norm",
       .base = ScoreKind::norm,
       .two_sided = true}};
  return rows;
}

const ScoreRow& row_of(ScoreKind kind) {
  for (const ScoreRow& row : score_rows()) {
    if (row.kind == kind) return row;
  }
  throw Error(ErrorKind::internal, "a score without a row");
}

const Names<ScoreKind>& score_names() {
  static const Names<ScoreKind> names = [] {
    Names<ScoreKind> all;
    for (const ScoreRow& row : score_rows()) all.emplace_back(row.name, row.kind);
    return all;
  }();
  return names;
}

std::string score_help() {
  std::string text;
  for (const ScoreRow& row : score_rows()) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", row.name, row.help);
  }
  return text;
}

const ScoreRow& computed_score(ScoreKind kind, bool has_energy) {
  const ScoreRow& row = row_of(kind);
  if (row.scores != nullptr) return row;
  if (row.base != ScoreKind::automatic) return row_of(row.base);
  return row_of(has_energy ? ScoreKind::energy : ScoreKind::norm);
}

void require_score(ObjectiveKind objective, ScoreKind kind) {
  const ScoreRow& row = computed_score(kind, has_energy(objective));
  const std::string problem = row.problem(objective);
  if (problem.empty()) return;
  throw Error(ErrorKind::usage,
              fmt::format("a model of the objective {} has no score by {}: {}", name_of(objective),
                          row.quantity, problem),
              without_rest(objective).empty()
                  ? "choose {by} norm"
                  : "score with a model of the objective eqm, eqm-dot or eqm-l2");
}

Tensor scores(const Field& field, const Tensor& x, const Condition& condition, ScoreKind kind) {
  const torch::NoGradGuard guard;
  const ScoreRow& row = computed_score(kind, field.has_energy());
  return row.scores(field, x, condition).to(torch::kCPU, torch::kFloat64).contiguous();
}

}  // namespace eqm
