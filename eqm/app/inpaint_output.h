// What inpainting leaves in its folder: a table, a grid of the first images (given, masked,
// filled), a folder of pictures for each stage, and an .npz of the filled ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "eqm/app/given_images.h"
#include "eqm/codec/codec.h"
#include "eqm/descend/held.h"
#include "eqm/descend/sample_record.h"
#include "eqm/io/png.h"
#include "eqm/landscape/model.h"

namespace eqm::app {

struct FilledImage {
  int64_t image = 0;  // its place among the given ones
  int64_t fill = 0;   // which of its fillings
  State state;
  SampleRecord record;
};

struct InpaintFigures {
  const Model& model;
  const Codec& codec;
  std::vector<bool> known;  // elements of a state
  int64_t fills = 1;        // of each image
  bool psnr = true;         // of the missing part, where states are pixels
  bool pictures = true;     // every image as a picture of its own
  std::string npz = {};     // a file for the filled pictures; empty for none
  PngText origin = {};
};

// Decibels, over the elements that are missing.
double psnr_of_missing(const State& filled, const State& given, const InpaintFigures& about);

// `filled` has one image at least. Returns the names of the files and folders.
std::vector<std::string> write_inpainted(const std::filesystem::path& folder,
                                         const std::vector<GivenImage>& given,
                                         const std::vector<FilledImage>& filled,
                                         const InpaintFigures& about);

}  // namespace eqm::app
