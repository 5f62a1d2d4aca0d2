#include "eqm/data/resample.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/data/pixels.h"

namespace eqm {
namespace {

// Eight bits of pixel and two spare for sums beyond white leave this much of 32 bits.
constexpr int kFractionBits = 32 - 8 - 2;
constexpr int32_t kOne = 1 << kFractionBits;
constexpr int32_t kHalf = kOne / 2;

double box(double x) {
  return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
}

double bicubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

struct Filter {
  double support;  // it is zero further out
  double (*value)(double);
};

Filter filter_of(ResampleFilter filter) {
  return filter == ResampleFilter::box ? Filter{0.5, &box} : Filter{2, &bicubic};
}

// What one output pixel is made of.
struct Taps {
  int64_t first = 0;             // input pixel
  std::vector<int32_t> weights;  // in units of 1 / kOne

  int64_t end() const { return first + static_cast<int64_t>(weights.size()); }
};

Taps taps_of(int64_t output, double ratio, int64_t input_length, const Filter& filter) {
  const double stretch = std::max(ratio, 1.0);
  const double support = filter.support * stretch;
  const double centre = (static_cast<double>(output) + 0.5) * ratio;
  // Rounded as Pillow does it, towards zero after half is added.
  const double low = centre - support + 0.5, high = centre + support + 0.5;
  const int64_t first = std::max<int64_t>(0, static_cast<int64_t>(low));
  const int64_t end = std::min(input_length, static_cast<int64_t>(high));

  std::vector<double> exact;
  double sum = 0;
  const double shrink = 1 / stretch;  // multiplied, as in Pillow: a division rounds differently
  for (int64_t x = first; x < end; ++x) {
    exact.push_back(filter.value((static_cast<double>(x) - centre + 0.5) * shrink));
    sum += exact.back();
  }
  Taps taps{.first = first, .weights = {}};
  for (double weight : exact) {
    if (sum != 0) weight /= sum;
    taps.weights.push_back(static_cast<int32_t>(weight * kOne + (weight < 0 ? -0.5 : 0.5)));
  }
  return taps;
}

// Taps of the part of the axis that is made.
std::vector<Taps> taps_along(const ResampleAxis& axis, int64_t input_length,
                             ResampleFilter filter) {
  const double ratio = static_cast<double>(input_length) / static_cast<double>(axis.length);
  std::vector<Taps> taps;
  for (int64_t output = axis.begin; output < axis.begin + axis.count; ++output) {
    taps.push_back(axis.length == input_length
                       ? Taps{.first = output, .weights = {kOne}}  // nothing to do
                       : taps_of(output, ratio, input_length, filter_of(filter)));
  }
  return taps;
}

std::byte rounded(int32_t sum) {
  return static_cast<std::byte>(std::clamp(sum >> kFractionBits, 0, 255));
}

// [rows, width] -> [rows, taps]
void resample_columns(const std::byte* from, int64_t rows, int64_t width,
                      std::span<const Taps> taps, std::byte* to) {
  for (int64_t row = 0; row < rows; ++row, from += width) {
    for (const Taps& tap : taps) {
      const std::byte* source = from + tap.first;
      int32_t sum = kHalf;
      for (const int32_t weight : tap.weights) {
        sum += weight * std::to_integer<int32_t>(*source++);
      }
      *to++ = rounded(sum);
    }
  }
}

// [rows, width] -> [taps, width], where `from` is input row `first_row`
void resample_rows(const std::byte* from, int64_t first_row, int64_t width,
                   std::span<const Taps> taps, std::byte* to) {
  std::vector<int32_t> sums(static_cast<size_t>(width));
  for (const Taps& tap : taps) {
    std::fill(sums.begin(), sums.end(), kHalf);
    const std::byte* source = from + (tap.first - first_row) * width;
    for (const int32_t weight : tap.weights) {
      for (int32_t& sum : sums) sum += weight * std::to_integer<int32_t>(*source++);
    }
    to = std::transform(sums.begin(), sums.end(), to, rounded);
  }
}

void check(const ResampleAxis& axis) {
  const bool fits = axis.length > 0 && axis.begin >= 0 && axis.count > 0 &&
                    axis.begin < axis.length && axis.count <= axis.length - axis.begin;
  if (fits) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("cannot make {} pixels from pixel {} of {}", axis.count, axis.begin, axis.length),
      "the part that is made lies inside of the whole and is not empty");
}

void check_area(const ResampleAxis& rows, const ResampleAxis& columns) {
  const auto most = static_cast<int64_t>(kMaxImagePixels);
  if (rows.count <= most / columns.count) return;
  throw Error(ErrorKind::usage,
              fmt::format("cannot make a picture of {} by {} pixels; {} are allowed", columns.count,
                          rows.count, most),
              "choose a smaller size");
}

}  // namespace

Example resample(const Example& pixels, const ResampleAxis& rows, const ResampleAxis& columns,
                 ResampleFilter filter) {
  const PlaneSize size = plane_size(pixels);
  check(rows);
  check(columns);
  check_area(rows, columns);
  const std::vector<Taps> row_taps = taps_along(rows, size.height, filter);
  const std::vector<Taps> column_taps = taps_along(columns, size.width, filter);
  const int64_t first_row = row_taps.front().first;
  const int64_t needed_rows = row_taps.back().end() - first_row;

  Example result{.dtype = Dtype::u8,
                 .shape = {size.channels, rows.count, columns.count},
                 .bytes = std::vector<std::byte>(
                     static_cast<size_t>(size.channels * rows.count * columns.count)),
                 .label = pixels.label};
  std::vector<std::byte> narrow(static_cast<size_t>(needed_rows * columns.count));
  for (int64_t channel = 0; channel < size.channels; ++channel) {
    const std::byte* from = pixels.bytes.data() + (channel * size.height + first_row) * size.width;
    std::byte* to = result.bytes.data() + channel * rows.count * columns.count;
    resample_columns(from, needed_rows, size.width, column_taps, narrow.data());
    resample_rows(narrow.data(), first_row, columns.count, row_taps, to);
  }
  return result;
}

Example resample(const Example& pixels, int64_t height, int64_t width, ResampleFilter filter) {
  return resample(pixels, {.length = height, .begin = 0, .count = height},
                  {.length = width, .begin = 0, .count = width}, filter);
}

}  // namespace eqm
