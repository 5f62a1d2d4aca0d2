// What a model file says beside its weights, as JSON: architecture, objective, landscape, scaling,
// sign and class names.
#pragma once

#include <string>

#include "eqm/landscape/model.h"

namespace eqm {

inline constexpr const char* kModelCardKey = "eqm";  // in the metadata of a file

struct ModelCard {
  Model model;               // without a backbone
  std::string architecture;  // JSON with a "kind"
};

// The model's backbone may be null.
std::string write_model_card(const Model& model, const std::string& architecture);

// Kind input when the text is no card of a format we know; the caller names the file. Whether the
// architecture can be built is for make_backbone() to say.
ModelCard read_model_card(const std::string& text);

}  // namespace eqm
