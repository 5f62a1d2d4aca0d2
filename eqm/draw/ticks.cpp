#include "eqm/draw/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace eqm::draw {
namespace {

constexpr std::size_t kMostTicks = 1000;
constexpr int kMostMarkedDecades = 6;  // more would make a grey bar of small marks

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

std::string power_of_ten(int exponent) {
  static constexpr std::array<const char*, 10> kSuperscripts{"⁰", "¹", "²", "³", "⁴",
                                                             "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string label = "10";
  for (const char c : std::to_string(exponent)) {
    label += c == '-' ? "⁻" : kSuperscripts[static_cast<std::size_t>(c - '0')];
  }
  return label;
}

// All ticks of an axis have as many decimals and the same power of ten.
std::string label_of(double value, double step, double largest) {
  if (value == 0) return "0";
  const int first = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  const bool plain = first >= -4 && first < 5;
  const int decimals = std::clamp(plain ? -last : first - last, 0, 15);
  const double shown = plain ? value : value / std::pow(10.0, first);
  const std::string text = with_true_minus(fmt::format("{:.{}f}", shown, decimals));
  return plain ? text : text + "×" + power_of_ten(first);
}

// "2e-09" as people write it: 2×10⁻⁹.
std::string spelled(const std::string& number) {
  const std::size_t split = number.find('e');
  if (split == std::string::npos) return with_true_minus(number);
  return with_true_minus(number.substr(0, split)) + "×" +
         power_of_ten(std::stoi(number.substr(split + 1)));
}

std::string decade_label(int digit, int exponent) {
  if (exponent >= -2 && exponent <= 3) return fmt::format("{:g}", digit * std::pow(10.0, exponent));
  return digit == 1 ? power_of_ten(exponent) : fmt::format("{}×", digit) + power_of_ten(exponent);
}

bool inside(Range range, double at) {
  return at >= range.low - 1e-9 && at <= range.high + 1e-9;
}

// Powers of ten whose exponent is a multiple of `stride`, times each of `digits`; small marks
// between decades where asked for.
std::vector<Tick> decades(Range exponents, std::span<const int> digits, int stride, bool marks) {
  // Doubles end within these powers.
  const auto floor_of = [](double exponent) {
    return static_cast<int>(std::floor(std::clamp(exponent, -1000.0, 1000.0)));
  };
  const int low = floor_of(exponents.low - 1e-9), high = floor_of(exponents.high + 1e-9);
  std::vector<Tick> ticks;
  for (int e = low; e <= high; ++e) {
    for (int digit = 1; digit <= 9; ++digit) {
      const double at = e + std::log10(digit);
      const bool labelled = e % stride == 0 && std::ranges::find(digits, digit) != digits.end();
      if (!inside(exponents, at) || (!labelled && !marks)) continue;
      ticks.push_back({at, labelled ? decade_label(digit, e) : ""});
    }
  }
  return ticks;
}

std::size_t labelled(const std::vector<Tick>& ticks) {
  return static_cast<std::size_t>(
      std::ranges::count_if(ticks, [](const Tick& tick) { return !tick.label.empty(); }));
}

}  // namespace

TickRule nice_rule(Range range, int about, Numbers numbers) {
  range = widened(range);
  const double rough = range.width() / std::clamp(about, 1, 100);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double ratio = rough / power;
  double step = power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
  if (numbers == Numbers::whole) step = std::max(step, 1.0);
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  return [step, largest](Range asked) {
    // A range whose ends are themselves round keeps them as ticks despite rounding.
    const double first = std::ceil(asked.low / step - 1e-9);
    const double last = std::floor(asked.high / step + 1e-9);
    std::vector<Tick> ticks;
    for (double k = first; k <= last && ticks.size() < kMostTicks; ++k) {
      ticks.push_back({k * step, label_of(k * step, step, largest)});
    }
    return ticks;
  };
}

TickRule log_rule(Range exponents, int about) {
  static constexpr std::array kOne{1};
  static constexpr std::array kThree{1, 2, 5};
  static constexpr std::array kFive{1, 2, 3, 5, 7};
  static constexpr std::array kAll{1, 2, 3, 4, 5, 6, 7, 8, 9};
  exponents = widened(exponents);
  const auto most = static_cast<std::size_t>(about + std::max(1, about / 4));
  const bool marks = exponents.width() <= kMostMarkedDecades;
  TickRule denser;
  for (const std::span<const int> digits :
       {std::span<const int>(kAll), std::span<const int>(kFive), std::span<const int>(kThree),
        std::span<const int>(kOne)}) {
    TickRule rule = [digits, marks](Range asked) { return decades(asked, digits, 1, marks); };
    const std::size_t count = labelled(rule(exponents));
    if (count < 3) {  // rather some too many than two
      if (denser) return denser;
      break;
    }
    if (count <= most) return rule;
    denser = std::move(rule);
  }
  if (exponents.width() > 3) {
    const int stride =
        static_cast<int>(std::ceil(std::min(exponents.width(), 2000.0) / std::max(about, 1)));
    return [stride](Range asked) { return decades(asked, kOne, stride, false); };
  }
  // Of narrow ranges, ticks are round in the value itself.
  const auto values = [](Range asked) {
    return Range{std::pow(10.0, asked.low), std::pow(10.0, asked.high)};
  };
  const TickRule nice = nice_rule(values(exponents), about);
  return [nice, values](Range asked) {
    std::vector<Tick> ticks;
    for (Tick& tick : nice(values(asked))) {
      if (tick.at > 0) ticks.push_back({std::log10(tick.at), std::move(tick.label)});
    }
    return ticks;
  };
}

std::vector<Tick> nice_ticks(Range range, int about) {
  range = widened(range);
  return nice_rule(range, about)(range);
}

std::vector<Tick> log_ticks(Range exponents, int about) {
  exponents = widened(exponents);
  return log_rule(exponents, about)(exponents);
}

std::vector<Tick> ticks_at(std::span<const double> values) {
  std::vector<Tick> ticks;
  for (const double value : values) {
    const std::string text = fmt::format("{:.4g}", value);
    if (std::abs(std::stod(text) - value) > 1e-9 * std::abs(value)) return {};
    ticks.push_back({value, spelled(text)});
  }
  return ticks;
}

}  // namespace eqm::draw
