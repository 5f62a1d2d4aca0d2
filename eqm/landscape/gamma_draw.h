// How γ is drawn in training, one row for each distribution. The option {gamma-distribution}, its
// help and training all come from these rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eqm/base/names.h"
#include "eqm/tensor/torch.h"

namespace eqm {

enum class GammaDraw {
  uniform,  // the paper's
  skewed,   // towards the data: γ = 1/(1+σ) with ln σ normal, mean -1.2 and deviation 1.2
};

struct GammaDrawRow {
  GammaDraw kind = GammaDraw::uniform;
  std::string_view name;
  std::string_view help;
  Tensor (*from_uniform)(const Tensor& uniform) = nullptr;  // [B] in [0, 1) to [B] in [0, 1]
};

const std::vector<GammaDrawRow>& gamma_draw_rows();
const Names<GammaDraw>& gamma_draw_names();
std::string gamma_draw_help();

// γ of this distribution from uniform numbers, monotonic in them.
Tensor gamma_from(GammaDraw draw, const Tensor& uniform);

}  // namespace eqm
