#include "eqm/draw/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace eqm::draw {
namespace {

// The typographic minus is as wide as a digit; a hyphen looks lost next to numbers.
std::string with_true_minus(const std::string& number) {
  std::string result;
  for (const char c : number) {
    if (c == '-') {
      result += "\u2212";
    } else {
      result += c;
    }
  }
  return result;
}

std::string label_of(double value, double step, double largest) {
  if (value == 0) return "0";
  if (largest < 1e5 && step >= 1e-4) {
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    return with_true_minus(fmt::format("{:.{}f}", value, decimals));
  }
  // As many digits as keep neighbouring ticks apart.
  const int digits = std::clamp(static_cast<int>(std::ceil(std::log10(largest / step))) + 1, 1, 15);
  return with_true_minus(fmt::format("{:.{}g}", value, digits));
}

std::string power_label(int exponent) {
  static constexpr std::array<const char*, 10> kSuperscripts{"⁰", "¹", "²", "³", "⁴",
                                                             "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (exponent >= -2 && exponent <= 3) return fmt::format("{:g}", std::pow(10.0, exponent));
  std::string label = "10";
  for (const char c : std::to_string(exponent)) {
    label += c == '-' ? "⁻" : kSuperscripts[static_cast<std::size_t>(c - '0')];
  }
  return label;
}

}  // namespace

std::vector<Tick> nice_ticks(Range range, int about) {
  range = widened(range);
  const double rough = range.width() / std::clamp(about, 1, 100);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double ratio = rough / power;
  const double step = power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  // A range whose ends are themselves round keeps them as ticks despite rounding.
  const double first = std::ceil(range.low / step - 1e-9);
  const double last = std::floor(range.high / step + 1e-9);
  std::vector<Tick> ticks;
  for (double k = first; k <= last && ticks.size() < 1000; ++k) {
    ticks.push_back({k * step, label_of(k * step, step, largest)});
  }
  return ticks;
}

std::vector<Tick> log_ticks(Range exponents, int about) {
  exponents = widened(exponents);
  const int low = static_cast<int>(std::ceil(std::max(exponents.low, -1000.0) - 1e-9));
  const int high = static_cast<int>(std::floor(std::min(exponents.high, 1000.0) + 1e-9));
  const int stride = std::max(1, (high - low + about) / std::max(about, 1));
  std::vector<Tick> ticks;
  for (int e = low; e <= high; e += stride) ticks.push_back({double(e), power_label(e)});
  if (ticks.size() >= 3) return ticks;

  ticks.clear();
  for (int e = low - 1; e <= high; ++e) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double at = e + std::log10(digit);
      if (at < exponents.low - 1e-9 || at > exponents.high + 1e-9) continue;
      ticks.push_back({at, with_true_minus(fmt::format("{:g}", digit * std::pow(10.0, e)))});
    }
  }
  if (ticks.size() >= 3) return ticks;

  ticks.clear();
  const Range values{std::pow(10.0, exponents.low), std::pow(10.0, exponents.high)};
  for (Tick& tick : nice_ticks(values, about)) {
    if (tick.at > 0) ticks.push_back({std::log10(tick.at), std::move(tick.label)});
  }
  return ticks;
}

}  // namespace eqm::draw
