// The likelihood that a flow gives to data, in bits per dimension.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/codec/options.h"
#include "eqm/data/split.h"
#include "eqm/descend/likelihood.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

enum class DivergenceBy {
  automatic,  // exact for small states, else signs
  exact,      // as many derivatives as a state has numbers
  signs,      // Hutchinson's estimate
};

struct LikelihoodUseOptions {
  std::string model;
  std::string data;
  int64_t count = 64;
  Split part = Split::test;
  std::string label = "own";  // "own", "null" or a class
  DivergenceBy divergence = DivergenceBy::automatic;
  int64_t probes = 1;
  double atol = 1e-5, rtol = 1e-5;
  bool dequantise = true;
  int64_t seed = 0;
  int64_t rows = 0;
  std::string out = "out/likelihood";
  CodecOptions codec;
  RuntimeOptions runtime;

  void declare(OptionSet& options);
};

struct LikelihoodResult {
  bool exact = false;        // the divergence
  bool pixels = false;       // bits are those of 8-bit pixels, else of a density
  int64_t count = 0;         // examples
  double bits = 0;           // mean over them, per dimension
  double low = 0, high = 0;  // 90 % interval of that mean
  double evaluations = 0;    // mean
  std::vector<std::string> files;
  bool stopped = false;  // nothing is written
};

LikelihoodResult run(const LikelihoodUseOptions& options, Host& host);

// A few lines for people; empty where it was stopped.
std::string text_of(const LikelihoodResult& result);

}  // namespace eqm::app
