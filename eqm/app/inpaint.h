// Fills in the missing parts of images: known pixels are held while the others descend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/codec/options.h"
#include "eqm/descend/options.h"
#include "eqm/landscape/guidance.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

// How known pixels are held while the others descend.
enum class KnownPixels {
  noised,  // they start as noise and come to their values with the rest (descend/held.h)
  clean,   // they have their values from the start
};

struct InpaintOptions {
  std::string model;  // empty: the shipped one
  std::string data;
  int64_t count = 16;
  std::string mask = "centre";
  KnownPixels known = KnownPixels::noised;
  int64_t fills = 1;          // of each image, from different noise
  std::string label = "own";  // "own", "null" or a class
  GuidanceOptions guidance;
  int64_t seed = 0;
  DescentOptions descent;
  std::string out = "out/inpaint";
  bool pictures = true;
  std::string npz;
  CodecOptions codec;
  RuntimeOptions runtime;

  void declare(OptionSet& options);
};

struct InpaintResult {
  int64_t asked = 0, done = 0;  // fillings
  double missing = 0;           // the share of pixels that the mask leaves out
  double mean_steps = 0;        // of those that are done
  // Mean over fillings of the missing part's against what was there, in decibels; of pixels only.
  std::optional<double> psnr;
  std::vector<std::string> files;  // written to `out`; none where no image is done
  bool stopped = false;
};

InpaintResult run(const InpaintOptions& options, Host& host);

// A few lines for people.
std::string text_of(const InpaintResult& result);

}  // namespace eqm::app
