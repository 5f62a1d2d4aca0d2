// What a SiT costs in weights and memory.
#include <algorithm>

#include "eqm/backbone/sit_layout.h"

namespace eqm {

double weight_count(const SitConfig& config) {
  return number_count(sit_weight_shapes(config));
}

double activation_count(const SitConfig& config) {
  constexpr double kWidthsPerToken = 16;  // what a block keeps of a token, attention aside
  const auto tokens = static_cast<double>(config.tokens());
  return static_cast<double>(config.depth) * tokens *
         (kWidthsPerToken * static_cast<double>(config.hidden_size) +
          tokens * static_cast<double>(config.num_heads));
}

double Sit::activation_floats_per_row() const {
  const auto tokens = static_cast<double>(config_.tokens());
  const auto width = static_cast<double>(config_.hidden_size);
  // The residual stream and the wider of attention (q, k, v, their products) and MLP.
  const double attention = 5 * width + 2 * tokens * static_cast<double>(config_.num_heads);
  return tokens * (2 * width + std::max(attention, 2 * config_.mlp_ratio * width));
}

}  // namespace eqm
