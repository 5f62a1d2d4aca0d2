#include "eqm/landscape/gamma_draw.h"

#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

// Karras et al. (2022) for diffusion, in the time of a flow: σ = (1-γ)/γ.
constexpr double kLogSigmaMean = -1.2, kLogSigmaDeviation = 1.2;
constexpr double kLeastSkewedGamma = 1e-4;

Tensor skewed_gamma(const Tensor& uniform) {
  // Φ⁻¹(1-u), so that more u is more γ.
  const Tensor normal = -std::numbers::sqrt2 * torch::erfinv(2 * uniform - 1);
  const Tensor sigma = (normal * kLogSigmaDeviation + kLogSigmaMean).exp();
  return (1 / (1 + sigma)).clamp(kLeastSkewedGamma, 1);
}

}  // namespace

const std::vector<GammaDrawRow>& gamma_draw_rows() {
  static const std::vector<GammaDrawRow> rows = {
      {.kind = GammaDraw::uniform,
       .name = "uniform",
       .help = "as in the paper",
       .from_uniform = [](const Tensor& uniform) { return uniform; }},
      {.kind = GammaDraw::skewed,
       .name = "skewed",
       .help = "EDM's noise levels, towards the data, as the Flow Matching code base trains on "
               "CIFAR-10",
       .from_uniform = skewed_gamma}};
  return rows;
}

const Names<GammaDraw>& gamma_draw_names() {
  static const Names<GammaDraw> names = [] {
    Names<GammaDraw> all;
    for (const GammaDrawRow& row : gamma_draw_rows()) all.emplace_back(row.name, row.kind);
    return all;
  }();
  return names;
}

std::string gamma_draw_help() {
  std::vector<std::string> lines;
  for (const GammaDrawRow& row : gamma_draw_rows()) {
    lines.push_back(fmt::format("{}: {}", row.name, row.help));
  }
  return fmt::format("how γ is drawn in training; {}", fmt::join(lines, "; "));
}

Tensor gamma_from(GammaDraw draw, const Tensor& uniform) {
  for (const GammaDrawRow& row : gamma_draw_rows()) {
    if (row.kind == draw) return row.from_uniform(uniform);
  }
  throw Error(ErrorKind::internal, "a distribution of γ has no row in gamma_draw.cpp");
}

}  // namespace eqm
