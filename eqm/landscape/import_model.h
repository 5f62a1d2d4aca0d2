// Turns the weights of the reference implementation (and of SiT, from which it comes, and of Flow
// Matching's U-Net) into a model file of ours. One tensor is in memory at a time, so that a
// checkpoint of any size fits.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eqm/backbone/weight_shapes.h"
#include "eqm/io/weights_choice.h"
#include "eqm/landscape/model.h"

namespace eqm {

struct ImportOptions {
  WeightsChoice weights = WeightsChoice::automatic;
  ShapeHints hints;                           // classes: also from the training's arguments
  std::optional<ObjectiveKind> objective;     // none: by the training's arguments
  std::optional<double> output_sign = {};     // none: -1; the reference predicts (x - ε)c
  std::optional<torch::ScalarType> stored;    // none: the types the file has
  bool check = true;                          // compare the checksums of what is read
  std::vector<std::string> class_names = {};  // one for each class, UTF-8; empty for none
  // Called with the number of tensors written so far, and of all.
  std::function<void(int64_t, int64_t)> progress;
};

struct ImportReport {
  std::string architecture;  // as JSON with a "kind"
  Objective objective;
  std::string chosen;  // which of the file's weights: "ema", "model", or empty
  int64_t tensors = 0;
  uint64_t bytes = 0;  // of weights, as written
  std::vector<std::string> class_names = {};
};

// Kind input for files that are damaged, hold another model, or were trained to predict what we
// have no objective for; kind usage when something must be given, or contradicts what a file of
// ours says of itself.
ImportReport import_model(const std::filesystem::path& from, const std::filesystem::path& to,
                          const ImportOptions& options);

}  // namespace eqm
