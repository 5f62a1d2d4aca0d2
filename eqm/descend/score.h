// How far a state is from being data, as a landscape sees it. The larger a score, the further out
// of the distribution. Scores are rows of one table: {by}, its help and `eqm score` come from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eqm/base/names.h"
#include "eqm/landscape/field.h"
#include "eqm/landscape/objective.h"

namespace eqm {

enum class ScoreKind {
  automatic,        // the energy where there is one, else the norm
  energy,           // explicit energies only: data are at the bottom
  norm,             // of the gradient, which is small where data rest
  typicality,       // of the automatic score, both tails
  norm_typicality,  // of the norm, both tails
};

struct ScoreRow {
  ScoreKind kind = ScoreKind::automatic;
  std::string_view name;
  std::string_view help;
  // What is computed, [B] float64, and what a figure calls it. Null: that of `base`.
  Tensor (*scores)(const Field& field, const Tensor& x, const Condition& condition) = nullptr;
  std::string_view quantity = {};
  // Of a computed score: why models of an objective have none; empty when they have.
  std::string (*problem)(ObjectiveKind objective) = nullptr;
  // Which computed score it is made of; automatic: by the model.
  ScoreKind base = ScoreKind::automatic;
  // Whether the distance from typical scores of the data counts, above or below
  // (measure/typicality.h), and not the computed score itself.
  bool two_sided = false;
};

const std::vector<ScoreRow>& score_rows();
const ScoreRow& row_of(ScoreKind kind);
const Names<ScoreKind>& score_names();
std::string score_help();  // of the option: a clause for each row

// The row that is computed for a kind.
const ScoreRow& computed_score(ScoreKind kind, bool has_energy);

// A usage error for models that have no such score: neither energy nor norm has a meaning without
// one landscape in which data rest (flows, and models that are shown the noise level).
void require_score(ObjectiveKind objective, ScoreKind kind = ScoreKind::automatic);

// Computed scores of states x [B, ...]: [B] float64 on the host. A two-sided kind gives those it is
// made of.
Tensor scores(const Field& field, const Tensor& x, const Condition& condition,
              ScoreKind kind = ScoreKind::automatic);

}  // namespace eqm
