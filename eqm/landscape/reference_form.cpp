#include "eqm/landscape/reference_form.h"

#include "eqm/backbone/sit.h"
#include "eqm/backbone/unet.h"
#include "eqm/backbone/weights.h"
#include "eqm/base/error.h"

namespace eqm {

namespace {

// What the names of the last layer begin with, in networks that a reference has.
std::string last_layer_of(const Backbone& backbone) {
  if (dynamic_cast<const Sit*>(&backbone) != nullptr) return "final_layer.linear.";
  if (dynamic_cast<const Unet*>(&backbone) != nullptr) return "out.2.";
  throw Error(ErrorKind::usage, "the reference has no module for this network",
              "only SiT and U-Net models can be exported for it");
}

}  // namespace

void give_reference_sign(Model& model) {
  const std::string last_layer = last_layer_of(*model.backbone);
  if (model.output_sign < 0) return;
  const torch::NoGradGuard guard;
  for (const auto& [name, weight] : weights_of(*model.backbone)) {
    if (name.starts_with(last_layer)) weight.neg_();
  }
  model.output_sign = -1;
}

}  // namespace eqm
