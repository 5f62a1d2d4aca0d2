#include "cli/load.h"

#include <fmt/format.h>

#include "eqm/backbone/weights.h"
#include "eqm/base/error.h"
#include "eqm/train/run_folder.h"

namespace eqm::cli {

Model load_for(const std::string& what, const torch::TensorOptions& type) {
  if (what.empty()) throw Error(ErrorKind::usage, "no model was given", "use --model FILE");
  Model model = load_model(find_model(what));
  const std::string unsound = unsound_weight_of(*model.backbone);
  if (!unsound.empty()) {
    throw Error(ErrorKind::numeric,
                fmt::format("the weight '{}' of '{}' is not finite", unsound, what),
                "the training diverged: take an earlier checkpoint, or train with a lower --lr");
  }
  model.backbone->to(type.device(), torch::typeMetaToScalarType(type.dtype()));
  return model;
}

}  // namespace eqm::cli
