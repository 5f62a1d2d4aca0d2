// What every verb shows while the engine draws samples for it: evaluations of the model, how many
// there will be, the time left, and samples that are done.
#pragma once

#include <string>

#include "eqm/base/progress.h"
#include "eqm/descend/engine.h"
#include "eqm/descend/options.h"

namespace eqm::app {

class SamplingProgress {
 public:
  // `descent` is resolved. Until the first samples are done, those that stop on their own may take
  // as many evaluations as the limit allows; then the total is estimated from what they took.
  SamplingProgress(Progress& progress, const std::string& what, int64_t count,
                   const DescentOptions& descent);

  SamplingProgress(const SamplingProgress&) = delete;
  SamplingProgress& operator=(const SamplingProgress&) = delete;
  ~SamplingProgress() { end(); }  // also where sampling throws

  // After every tick of the engine.
  void update(const EngineCounts& counts);
  void end();

 private:
  Progress& progress_;
  bool open_ = true;
  int64_t count_;
  TotalKind at_first_;  // how well the total is known while no sample is done
};

}  // namespace eqm::app
