// The scores of a set, and how well they tell it from the data a model knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eqm/measure/detection.h"

namespace eqm::app {

struct ScoredSet {
  std::string name;
  std::vector<int64_t> indices;             // of the examples in their set
  std::vector<double> scores;               // one for each, finite
  std::optional<Detection> detection = {};  // against the first set, which has none
};

}  // namespace eqm::app
