// What is really loaded here, and a hint for whatever is wrong.
#pragma once

#include <vector>

#include "eqm/app/host.h"
#include "eqm/tensor/machine.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

struct DoctorOptions {
  RuntimeOptions runtime;

  void declare(OptionSet& options) { runtime.declare(options); }
};

// The version, the machine, the kernels in use, the data sets that are installed. A finding with a
// hint is a problem. Refuses a runtime that cannot be had.
std::vector<Finding> run(const DoctorOptions& options, Host& host);

}  // namespace eqm::app
