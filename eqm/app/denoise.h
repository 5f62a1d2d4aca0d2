// Descends from images that are noise in part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eqm/app/denoise_output.h"
#include "eqm/app/host.h"
#include "eqm/app/sample_output.h"
#include "eqm/codec/options.h"
#include "eqm/descend/options.h"
#include "eqm/landscape/guidance.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

struct DenoiseOptions {
  std::string model;  // empty: the shipped one
  std::string data;
  int64_t count = 16;
  double gamma = 0.6;         // share of an image that is left when it is noised
  std::string label = "own";  // "own", "null" or a class
  GuidanceOptions guidance;
  int64_t seed = 0;
  DescentOptions descent;
  std::string out = "out/denoise";
  OutputChoice files;
  CodecOptions codec;
  RuntimeOptions runtime;

  void declare(OptionSet& options);
};

struct DenoiseResult {
  int64_t asked = 0, done = 0;      // images
  double mean_steps = 0;            // of those that are done
  std::optional<DenoisePsnr> psnr;  // their means, where the clean images are known
  std::vector<std::string> files;   // written to `out`; none where no image is done
  int64_t npz_images = 0;           // in the .npz; 0 without one
  bool stopped = false;
};

DenoiseResult run(const DenoiseOptions& options, Host& host);

// A few lines for people.
std::string text_of(const DenoiseResult& result);

}  // namespace eqm::app
