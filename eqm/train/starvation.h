// Notices when work is starved of processor time: its threads are ready to run, and other programs
// hold the processors. That costs more than its share, because the threads of a team wait for the
// last of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "eqm/base/processor_use.h"

namespace eqm {

// Fed with readings of processor_use(); it looks at no clock of its own.
class StarvationWatch {
 public:
  // `processors` is how many the process may use, `threads` how many compute.
  StarvationWatch(int64_t processors, int64_t threads)
      : processors_(processors), threads_(threads) {}

  // A sentence for people, once in its life: when a window of half a minute or more was starved.
  std::optional<std::string> add(const ProcessorUse& use);

 private:
  int64_t processors_, threads_;
  std::optional<ProcessorUse> start_;  // of the window
  bool told_ = false;
};

}  // namespace eqm
