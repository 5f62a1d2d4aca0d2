#include "eqm/base/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

namespace eqm {
namespace {

constexpr std::array<std::string_view, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

// The mean of the finite values, not a number when there are none. A running mean, since a sum of
// large numbers can leave the finite ones.
double finite_mean(std::span<const double> values) {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    count += 1;
    mean = count == 1 ? value : mean + (value / count - mean / count);
  }
  return mean;
}

// Where the value lies between the two, from 0 to 1.
double height(double value, double low, double high) {
  if (!(high > low)) return 0.45;
  // The range of finite numbers need not be finite.
  const double unit = std::isfinite(high - low) ? 1 : 0.5;
  return (unit * value - unit * low) / (unit * high - unit * low);
}

}  // namespace

std::string sparkline(std::span<const double> values, size_t width) {
  const size_t bars = std::min(width, values.size());
  std::vector<double> means;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (size_t k = 0; k < bars; ++k) {
    const size_t begin = k * values.size() / bars, end = (k + 1) * values.size() / bars;
    const double mean = means.emplace_back(finite_mean(values.subspan(begin, end - begin)));
    if (std::isnan(mean)) continue;
    low = std::min(low, mean);
    high = std::max(high, mean);
  }
  if (low > high) return {};
  std::string line;
  for (const double mean : means) {
    if (std::isnan(mean)) {
      line += ' ';
      continue;
    }
    line += kBars[std::min(static_cast<size_t>(height(mean, low, high) * kBars.size()),
                           kBars.size() - 1)];
  }
  return line;
}

}  // namespace eqm
