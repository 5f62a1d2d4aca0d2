// Colours of figures: a few fixed inks, sequential colour maps and a categorical palette.
#pragma once

#include <cstddef>
#include <vector>

namespace eqm::draw {

// sRGB components and opacity, each in [0, 1].
struct Colour {
  double r = 0;
  double g = 0;
  double b = 0;
  double a = 1;

  Colour with_alpha(double alpha) const { return {r, g, b, alpha}; }
};

inline constexpr Colour kPaper{1, 1, 1, 1};
inline constexpr Colour kInk{0.13, 0.15, 0.19, 1};    // text, arrows
inline constexpr Colour kMuted{0.42, 0.45, 0.50, 1};  // subtitles, tick labels
inline constexpr Colour kRule{0.78, 0.80, 0.83, 1};   // frames
inline constexpr Colour kFaint{0.92, 0.93, 0.94, 1};  // grid lines

// CIE lightness L* in [0, 100], of the colour at full opacity.
double lightness(Colour colour);

// A sequence of colours at even distances, interpolated in between.
class ColourMap {
 public:
  explicit ColourMap(std::vector<Colour> anchors);

  // t is clamped to [0, 1]; a t that is not a number gives full transparency.
  Colour at(double t) const;
  ColourMap reversed() const;

 private:
  std::vector<Colour> anchors_;  // at least one
};

// From dark violet over teal to yellow; lightness grows evenly.
ColourMap vivid_map();

// From almost white to a soft blue: a background under dark arrows and points. Lightness falls
// evenly.
ColourMap light_map();

// The k-th of six colours that colour-blind readers can tell apart; repeats after the sixth.
Colour category(std::size_t k);

}  // namespace eqm::draw
