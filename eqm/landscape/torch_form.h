// A model as a PyTorch file: the state dictionary that torch.load gives, with the model's card as
// its attribute `eqm`. import_model() makes the same model of it again.
#pragma once

#include <filesystem>
#include <optional>

#include "eqm/landscape/model.h"

namespace eqm {

// `stored` as for save_model().
void save_for_torch(const Model& model, const std::filesystem::path& path,
                    std::optional<torch::ScalarType> stored = std::nullopt);

}  // namespace eqm
