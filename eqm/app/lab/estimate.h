// A measured number with the interval that it lies in with 90 % confidence, by name.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace eqm::app {

struct Estimate {
  double value = 0;
  double low = 0, high = 0;

  double half_width() const { return (high - low) / 2; }
};

// Of a share of `count` independent trials, by Wilson's interval.
Estimate share_estimate(double share, double count);

// The mean over independent repetitions. Its interval has two parts: how well each repetition is
// known, and how much they differ (Student's t), which one repetition cannot tell.
Estimate mean_estimate(std::span<const Estimate> repetitions);

// What one measurement answers, in the order of its kind.
using NamedEstimates = std::vector<std::pair<std::string, Estimate>>;

// Null where there is none of that name.
const Estimate* find_estimate(const NamedEstimates& estimates, const std::string& name);

// "237 (225 to 251)", with three or four digits that count.
std::string text_of(const Estimate& estimate);

}  // namespace eqm::app
