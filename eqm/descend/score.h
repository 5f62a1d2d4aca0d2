// How far a state is from being data, as a landscape sees it. Data rest at the bottom: where there
// is an explicit energy, that is the score, else the norm of the gradient, which is small where
// things come to rest. The larger, the further out of the distribution.
#pragma once

#include <string>

#include "eqm/landscape/field.h"
#include "eqm/landscape/objective.h"

namespace eqm {

// What the score of a field is: "energy" or "gradient norm".
std::string score_name(const Field& field);

// Refuses, by a usage error, models without one landscape in which data rest: flows, and those that
// are shown the noise level.
void require_score(ObjectiveKind kind);

// Scores of states x [B, ...]: [B] float64 on the host.
Tensor scores(const Field& field, const Tensor& x, const Condition& condition);

}  // namespace eqm
