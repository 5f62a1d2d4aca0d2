// Finds the training images nearest to pictures, to see whether a model only remembers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/app/neighbour_report.h"
#include "eqm/data/split.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

struct NeighbourOptions {
  std::string pictures;  // what is asked about
  std::string data;      // what is searched
  Split part = Split::train;
  int64_t k = 5;  // neighbours of each picture
  int64_t count = 16;
  int64_t size = 0;  // 0: that of the pictures
  std::string out = "out/neighbours";
  RuntimeOptions runtime;

  void declare(OptionSet& options);
};

struct NeighbourResult {
  Findings findings;               // nothing nearest where it was stopped
  std::vector<std::string> files;  // written to `out`
  bool stopped = false;            // before all data were searched; nothing is written
};

NeighbourResult run(const NeighbourOptions& options, Host& host);

}  // namespace eqm::app
