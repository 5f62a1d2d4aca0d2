#include "eqm/plane/footprint.h"

#include <algorithm>
#include <array>
#include <utility>

#include "eqm/backbone/mlp.h"

namespace eqm {
namespace {

// Copies of everything that were alive at the peak, from the peaks of runs that doubled one option
// each. An energy keeps the graph of its gradient as well.
struct Copies {
  double per_layer;    // of [rows, width] for every layer
  double beside;       // of [rows, width] once
  double per_fourier;  // of [rows, fourier]
};

constexpr Copies kTrainField = {2, 3, 4}, kTrainEnergy = {12.5, 3, 12};
constexpr Copies kDescendField = {0, 3, 4}, kDescendEnergy = {2, 3, 4};
constexpr double kWeightCopies = 7;      // six while training, one of the model trained before
constexpr double kMeasuredBytes = 2600;  // of a point, in all directions
constexpr double kPathPointBytes = 170;  // of a particle's step, in all panels

double numbers(const Copies& copies, int64_t rows, const PlaneOptions& options) {
  const auto width = static_cast<double>(options.width);
  const double layers = copies.per_layer * static_cast<double>(options.depth) + copies.beside;
  return static_cast<double>(rows) *
         (layers * width + copies.per_fourier * static_cast<double>(options.fourier));
}

}  // namespace

double PlaneFootprint::total() const {
  return weights + paths + std::max({training, descent, measuring});
}

std::string PlaneFootprint::remedy() const {
  const std::array<std::pair<double, const char*>, 5> parts = {
      {{weights, "lower width or depth"},
       {training, "lower batch, width, depth or fourier"},
       {descent, "lower samples, width, depth or fourier"},
       {measuring, "lower points or samples"},
       {paths, "lower paths or limit"}}};
  return std::max_element(parts.begin(), parts.end())->second;
}

PlaneFootprint footprint_of(const PlaneOptions& options, int64_t points,
                            const torch::TensorOptions& type) {
  const auto bytes = static_cast<double>(type.dtype().itemsize());
  const bool energy = has_energy(options.objective);
  const auto particles = static_cast<double>(std::min(options.paths, options.samples));
  const double steps =
      static_cast<double>(options.descent_for(options.objective).limit + kFlowSteps);
  return {
      .weights = kWeightCopies * bytes *
                 weight_count({.dimension = 2,
                               .width = options.width,
                               .depth = options.depth,
                               .fourier = options.fourier}),
      .training = bytes * numbers(energy ? kTrainEnergy : kTrainField, options.batch, options),
      .descent = bytes * numbers(energy ? kDescendEnergy : kDescendField, options.samples, options),
      .measuring = kMeasuredBytes * static_cast<double>(points + options.samples),
      .paths = kPathPointBytes * particles * steps};
}

}  // namespace eqm
