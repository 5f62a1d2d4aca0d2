#include "eqm/app/lab/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace eqm::app {
namespace {

constexpr double kNormal90 = 1.6448536269514722;  // two-sided 90 %

// Two-sided 90 % quantiles of Student's t for 1, 2, ... degrees of freedom.
double student_90(size_t freedom) {
  static constexpr std::array kQuantiles = {6.314, 2.920, 2.353, 2.132, 2.015,
                                            1.943, 1.895, 1.860, 1.833, 1.812};
  return freedom <= kQuantiles.size() ? kQuantiles[freedom - 1] : kNormal90;
}

std::string short_number(double value) {
  const double size = std::abs(value);
  if (size >= 100) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  return size >= 1 ? fmt::format("{:.2f}", value) : fmt::format("{:.3g}", value);
}

}  // namespace

Estimate share_estimate(double share, double count) {
  const double square = kNormal90 * kNormal90 / count;
  const double centre = (share + square / 2) / (1 + square);
  const double reach =
      kNormal90 / (1 + square) * std::sqrt(share * (1 - share) / count + square / (4 * count));
  return {.value = share,
          .low = std::max(0.0, std::min(share, centre - reach)),
          .high = std::min(1.0, std::max(share, centre + reach))};
}

Estimate mean_estimate(std::span<const Estimate> repetitions) {
  if (repetitions.size() == 1) return repetitions.front();
  const auto count = static_cast<double>(repetitions.size());
  double mean = 0, within = 0, between = 0;
  for (const Estimate& one : repetitions) {
    mean += one.value / count;
    within += one.half_width() * one.half_width() / (count * count);
  }
  for (const Estimate& one : repetitions) between += (one.value - mean) * (one.value - mean);
  const double error = std::sqrt(between / (count - 1) / count);
  const double reach = std::hypot(std::sqrt(within), student_90(repetitions.size() - 1) * error);
  return {.value = mean, .low = mean - reach, .high = mean + reach};
}

const Estimate* find_estimate(const NamedEstimates& estimates, const std::string& name) {
  const auto found = std::ranges::find(estimates, name, &NamedEstimates::value_type::first);
  return found == estimates.end() ? nullptr : &found->second;
}

std::string text_of(const Estimate& estimate) {
  if (estimate.low == estimate.high) return short_number(estimate.value);
  return fmt::format("{} ({} to {})", short_number(estimate.value), short_number(estimate.low),
                     short_number(estimate.high));
}

}  // namespace eqm::app
