// What verbs that descend say: beside their bars while the engine works, and of their options.
#pragma once

#include <chrono>
#include <string>

#include "eqm/base/log.h"
#include "eqm/descend/engine.h"
#include "eqm/descend/options.h"

namespace eqm::cli {

class EngineNote {
 public:
  // Samples under way, rows evaluated per second since this was made (a sample with several terms
  // has several), mean steps of finished samples.
  std::string of(const EngineCounts& counts) const;

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

// Warns of options that the rule does nothing with.
void warn_of_unused(const DescentOptions& descent, const Objective& objective, Logger& log);

}  // namespace eqm::cli
