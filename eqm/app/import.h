// Imports weights of the reference implementation, of SiT, or of Flow Matching's U-Net as a model
// file of ours.
#pragma once

#include <optional>
#include <string>

#include "eqm/app/host.h"
#include "eqm/base/options.h"
#include "eqm/landscape/import_model.h"

namespace eqm::app {

struct ModelImportOptions {
  std::string from = {}, out = {};
  WeightsChoice weights = WeightsChoice::automatic;
  ShapeHints hints = {};
  std::string class_names = {};                  // a file of them, or a list with commas
  std::string objective = "auto";                // or the name of one
  std::string sign = "auto";                     // "reference" or "eqm"
  std::optional<torch::ScalarType> stored = {};  // none: the types the file has
  bool check = true;

  void declare(OptionSet& options);
};

struct ModelImportResult {
  ImportReport report = {};
  std::string file = {};  // the model file that was written
};

ModelImportResult run(const ModelImportOptions& options, Host& host);

}  // namespace eqm::app
