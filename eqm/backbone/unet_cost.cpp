// What a U-Net costs in weights and memory, by its layout.
#include <algorithm>

#include "eqm/backbone/unet_layout.h"

namespace eqm {
namespace {

// Of the image that a layer takes.
double pixels_at(const UnetConfig& config, const UnetPlace& place) {
  const auto side = static_cast<double>(config.input_size / place.factor);
  return side * side;
}

// Numbers that a layer keeps of a row for its backward pass: of each norm, SiLU, convolution and
// product its input.
double kept_by(const UnetConfig& config, const UnetPlace& place) {
  const double pixels = pixels_at(config, place);
  const auto in = static_cast<double>(place.in), out = static_cast<double>(place.out);
  switch (place.part) {
    case UnetPart::first:
      return pixels * in;
    case UnetPart::residual: {
      double ratio = 1;  // of the size that comes out
      if (place.resize == UnetResize::down) ratio = 0.25;
      if (place.resize == UnetResize::up) ratio = 4;
      return pixels * (3 * in + 4 * out * ratio);
    }
    case UnetPart::attention:
      return pixels * (7 * out + pixels * static_cast<double>(unet_heads(config, place.out)));
    case UnetPart::resample:
      return config.conv_resample ? pixels * in : 0;
  }
  return 0;
}

// Numbers that a layer computes with at once.
double needed_by(const UnetConfig& config, const UnetPlace& place) {
  const double pixels = pixels_at(config, place);
  const auto in = static_cast<double>(place.in), out = static_cast<double>(place.out);
  if (place.part != UnetPart::attention) return pixels * 2 * (in + out);
  return pixels * (6 * out + pixels * static_cast<double>(unet_heads(config, place.out)));
}

template <class Visit>
void visit_places(const UnetLayout& layout, const Visit& visit) {
  const auto all = [&](const UnetLayout::Block& block) {
    for (const UnetPlace& place : block) visit(place);
  };
  for (const auto& block : layout.down) all(block);
  all(layout.middle);
  for (const auto& block : layout.up) all(block);
}

}  // namespace

double weight_count(const UnetConfig& config) {
  return number_count(unet_weight_shapes(config));
}

double activation_count(const UnetConfig& config) {
  const UnetLayout layout = unet_layout(config);
  const auto pixels = static_cast<double>(config.input_size * config.input_size);
  double count = 3 * pixels * static_cast<double>(layout.last);
  visit_places(layout, [&](const UnetPlace& place) { count += kept_by(config, place); });
  return count;
}

double Unet::activation_floats_per_row() const {
  const UnetLayout layout = unet_layout(config_);
  double left = 0;  // by the way down, for the way up
  for (const auto& block : layout.down) {
    left += pixels_at(config_, block.back()) * static_cast<double>(block.back().out);
  }
  double widest = 0;
  visit_places(layout, [&](const UnetPlace& place) {
    widest = std::max(widest, needed_by(config_, place));
  });
  return left + widest;
}

}  // namespace eqm
