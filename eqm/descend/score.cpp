#include "eqm/descend/score.h"

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/tensor/rows.h"

namespace eqm {

std::string score_name(const Field& field) {
  return field.has_energy() ? "energy" : "gradient norm";
}

void require_score(ObjectiveKind kind) {
  if (!is_flow(kind) && !sees_time(kind)) return;
  throw Error(ErrorKind::usage,
              fmt::format("a model of the objective {} has no score: {}", name_of(kind),
                          is_flow(kind) ? "data do not rest in a flow"
                                        : "its gradient depends on the noise level it is given"),
              "score with a model of the objective eqm, eqm-dot or eqm-l2");
}

Tensor scores(const Field& field, const Tensor& x, const Condition& condition) {
  const torch::NoGradGuard guard;
  const Tensor values = field.has_energy()
                            ? field.gradient_and_energy(x, condition).energy
                            : row_norms(field.gradient(x, condition).to(torch::kFloat64));
  return values.to(torch::kCPU, torch::kFloat64).contiguous();
}

}  // namespace eqm
