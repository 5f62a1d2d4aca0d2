#include "eqm/draw/colour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "eqm/base/error.h"

namespace eqm::draw {
namespace {

double linear_light(double srgb) {
  return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4);
}

}  // namespace

double lightness(Colour colour) {
  const double luminance = 0.2126 * linear_light(colour.r) + 0.7152 * linear_light(colour.g) +
                           0.0722 * linear_light(colour.b);
  return luminance > 216.0 / 24389.0 ? 116 * std::cbrt(luminance) - 16 : luminance * 24389.0 / 27.0;
}

ColourMap::ColourMap(std::vector<Colour> anchors) : anchors_(std::move(anchors)) {
  if (anchors_.empty()) {
    throw Error(ErrorKind::usage, "a colour map has no colours", "give at least one anchor colour");
  }
}

Colour ColourMap::at(double t) const {
  if (std::isnan(t)) return {0, 0, 0, 0};
  const double place = std::clamp(t, 0.0, 1.0) * static_cast<double>(anchors_.size() - 1);
  const auto left = static_cast<std::size_t>(place);
  const std::size_t right = std::min(left + 1, anchors_.size() - 1);
  const double u = place - static_cast<double>(left);
  const Colour& p = anchors_[left];
  const Colour& q = anchors_[right];
  return {std::lerp(p.r, q.r, u), std::lerp(p.g, q.g, u), std::lerp(p.b, q.b, u),
          std::lerp(p.a, q.a, u)};
}

ColourMap ColourMap::reversed() const {
  return ColourMap(std::vector<Colour>(anchors_.rbegin(), anchors_.rend()));
}

// Both tables are even steps in OKLCh, with the chroma lowered where sRGB ends.
ColourMap vivid_map() {
  return ColourMap({{0.216, 0.001, 0.357},
                    {0.177, 0.170, 0.507},
                    {0.008, 0.319, 0.574},
                    {0.007, 0.446, 0.573},
                    {0.030, 0.565, 0.594},
                    {0.042, 0.688, 0.587},
                    {0.379, 0.791, 0.520},
                    {0.682, 0.862, 0.461},
                    {0.951, 0.917, 0.454}});
}

ColourMap light_map() {
  return ColourMap({{0.971, 0.993, 0.987},
                    {0.932, 0.974, 0.969},
                    {0.892, 0.955, 0.955},
                    {0.852, 0.935, 0.946},
                    {0.815, 0.914, 0.939},
                    {0.781, 0.891, 0.935},
                    {0.751, 0.867, 0.932},
                    {0.726, 0.841, 0.930},
                    {0.707, 0.813, 0.927}});
}

// Chosen so that every pair keeps an OKLab distance above 0.11 under simulated protanopia,
// deuteranopia and tritanopia.
Colour category(std::size_t k) {
  static constexpr std::array<Colour, 6> kColours{{{0.173, 0.376, 0.576},    // blue
                                                   {0.812, 0.400, 0.133},    // orange
                                                   {0.153, 0.596, 0.486},    // green
                                                   {0.733, 0.447, 0.847},    // violet
                                                   {0.925, 0.792, 0.200},    // yellow
                                                   {0.506, 0.761, 0.918}}};  // sky
  return kColours[k % kColours.size()];
}

}  // namespace eqm::draw
