#include "eqm/descend/denoise.h"

#include <cmath>

#include "eqm/base/draws.h"

namespace eqm {

State noised(const State& x, double gamma, uint64_t seed, int64_t sample) {
  State noise(x.size());
  fill_normal({.seed = seed, .sample = static_cast<uint64_t>(sample), .draw = draw_denoise},
              std::span<double>(&noise[0], noise.size()));
  return gamma * x + (1 - gamma) * noise;
}

double psnr(const State& x, const State& clean, double peak) {
  const State apart = x - clean;
  const double error = dot(apart, apart) / static_cast<double>(apart.size());
  return 10 * std::log10(peak * peak / error);
}

}  // namespace eqm
