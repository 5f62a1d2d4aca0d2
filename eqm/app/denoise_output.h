// What denoising leaves in its folder besides what every sampling does (sample_output.h): a table,
// a grid of the first images stage by stage, and a folder of pictures for each stage before the
// last.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "eqm/codec/codec.h"
#include "eqm/descend/engine.h"
#include "eqm/io/png.h"
#include "eqm/landscape/model.h"

namespace eqm::app {

struct DenoisedImage {
  int64_t number = 0;
  std::string source;       // where the image comes from, in UTF-8
  State clean, start, end;  // as it was given, where the descent began and ended
  SampleRecord record;
};

// Peak signal-to-noise ratios in decibels, against the clean image.
struct DenoisePsnr {
  double before = 0, after = 0;
};

// Of states in the scaling of the model.
DenoisePsnr psnr_of(const DenoisedImage& image, const Model& model);

struct DenoiseOutputChoice {
  bool noised = true;    // the start is not the clean image, so that there is a stage more
  bool psnr = true;      // columns of the table
  bool pictures = true;  // every image as a picture of its own
  PngText origin = {};   // what made the pictures
};

// The folder for the pictures of the last stage.
std::string last_stage_of(bool noised);

// Of one image at least. Returns the names of the files and folders.
std::vector<std::string> write_denoised(const std::filesystem::path& folder,
                                        const std::vector<DenoisedImage>& images,
                                        const Model& model, const Codec& codec,
                                        const DenoiseOutputChoice& choice);

}  // namespace eqm::app
