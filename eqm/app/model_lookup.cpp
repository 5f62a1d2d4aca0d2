#include "eqm/app/model_lookup.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/app/shipped.h"
#include "eqm/backbone/weights.h"
#include "eqm/base/error.h"
#include "eqm/train/run_folder.h"

namespace eqm::app {
namespace {

constexpr const char* kDefaultModel = "fashion-xs4";

[[noreturn]] void refuse_no_model() {
  throw Error(ErrorKind::usage, "no model was given", "give one by {model}");
}

}  // namespace

std::filesystem::path model_file(const std::string& what) {
  return find_model(find_shipped(ShippedKind::model, what));
}

Model load_for(const std::string& what, const torch::TensorOptions& type) {
  if (what.empty()) refuse_no_model();
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

std::string given_or_shipped_model(const std::string& given, Logger& log) {
  if (!given.empty()) return given;
  const std::vector<ShippedFile> shipped = shipped_files(ShippedKind::model);
  const auto found = std::ranges::find(shipped, kDefaultModel, &ShippedFile::name);
  if (found == shipped.end()) refuse_no_model();
  log.info("no {{model}} was given: taking the shipped {}", found->name);
  return found->path.string();
}

}  // namespace eqm::app
