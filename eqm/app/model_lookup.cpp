#include "eqm/app/model_lookup.h"

#include <fmt/format.h>

#include "eqm/app/shipped.h"
#include "eqm/backbone/weights.h"
#include "eqm/base/error.h"
#include "eqm/train/run_folder.h"

namespace eqm::app {

std::filesystem::path model_file(const std::string& what) {
  return find_model(find_shipped(ShippedKind::model, what));
}

Model load_for(const std::string& what, const torch::TensorOptions& type) {
  if (what.empty()) throw Error(ErrorKind::usage, "no model was given", "give one by {model}");
  Model model = load_model(model_file(what));
  const std::string unsound = unsound_weight_of(*model.backbone);
  if (!unsound.empty()) {
    throw Error(ErrorKind::numeric,
                fmt::format("the weight '{}' of '{}' is not finite", unsound, what),
                "the training diverged: take an earlier checkpoint, or train with a lower {lr}");
  }
  model.backbone->to(type.device(), torch::typeMetaToScalarType(type.dtype()));
  return model;
}

}  // namespace eqm::app
