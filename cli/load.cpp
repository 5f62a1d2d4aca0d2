#include "cli/load.h"

#include "eqm/base/error.h"
#include "eqm/train/run_folder.h"

namespace eqm::cli {

Model load_for(const std::string& what, const torch::TensorOptions& type) {
  if (what.empty()) throw Error(ErrorKind::usage, "no model was given", "use --model FILE");
  Model model = load_model(find_model(what));
  model.backbone->to(type.device(), torch::typeMetaToScalarType(type.dtype()));
  return model;
}

}  // namespace eqm::cli
