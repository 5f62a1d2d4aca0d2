// What every verb says beside its bar while the engine works for it.
#pragma once

#include <chrono>
#include <string>

#include "eqm/descend/engine.h"

namespace eqm::cli {

class EngineNote {
 public:
  // Samples under way, rows evaluated per second since this was made (a sample with several terms
  // has several), mean steps of finished samples.
  std::string of(const EngineCounts& counts) const;

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace eqm::cli
