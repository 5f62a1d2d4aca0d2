#include "eqm/landscape/reference_form.h"

#include "eqm/backbone/sit.h"
#include "eqm/backbone/weights.h"
#include "eqm/base/error.h"

namespace eqm {

void give_reference_sign(Model& model) {
  if (dynamic_cast<const Sit*>(model.backbone.get()) == nullptr) {
    throw Error(ErrorKind::usage, "the reference has no module for this network",
                "only SiT models can be exported for it");
  }
  if (model.output_sign < 0) return;
  const torch::NoGradGuard guard;
  for (const auto& [name, weight] : weights_of(*model.backbone)) {
    if (name.starts_with("final_layer.linear.")) weight.neg_();
  }
  model.output_sign = -1;
}

}  // namespace eqm
