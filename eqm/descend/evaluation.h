// Asks a field for many samples at once: one row for every term of every sample, in one batch.
#pragma once

#include <span>
#include <vector>

#include "eqm/descend/course.h"
#include "eqm/landscape/field.h"
#include "eqm/landscape/terms.h"

namespace eqm {

struct Question {
  State x;
  double time = 0;
  const Terms* terms = nullptr;
};

// `shape` is that of one state, `type` the device and precision of the field. Energies are answered
// where the field has them and all channels have the same weights.
std::vector<Answer> evaluate(const Field& field, const Shape& shape,
                             const torch::TensorOptions& type, std::span<const Question> questions);

// Refuses terms that the field cannot answer: labels it does not know, no terms at all, weights
// that are not finite or sum to nothing.
void check_terms(const Field& field, const Terms& terms);

}  // namespace eqm
