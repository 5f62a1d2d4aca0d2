#include "eqm/landscape/field.h"

#include "eqm/base/error.h"

namespace eqm {

GradientAndEnergy Field::gradient_and_energy(const Tensor&, const Condition&) const {
  throw Error(ErrorKind::usage, "this model has no explicit energy",
              "train with the objective eqm-dot or eqm-l2, or use the gradient norm");
}

}  // namespace eqm
