// What an evaluation leaves: a table, figures as JSON, and a picture of the best and the worst.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "eqm/data/source.h"
#include "eqm/io/image.h"
#include "eqm/measure/set_evaluation.h"

namespace eqm::app {

struct EvaluatedSet {
  std::string name;
  Evaluation evaluation;
};

// `distance` is what the Fréchet distance is called. Columns that nobody has are left out.
std::string evaluation_table(const std::vector<EvaluatedSet>& sets, const std::string& distance);

nlohmann::json evaluation_json(const std::vector<EvaluatedSet>& sets);

// The pictures nearest to real ones and those farthest from any, each above its nearest. `nearest`
// has a row for each of the samples, which may have another size than the real ones.
Image best_and_worst(const SourcePtr& samples, const SourcePtr& real, const Nearest& nearest);

}  // namespace eqm::app
