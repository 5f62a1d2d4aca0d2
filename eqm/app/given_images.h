// Images that a use is given to work on, as states of a model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/codec/codec.h"
#include "eqm/descend/state.h"
#include "eqm/landscape/guidance.h"
#include "eqm/landscape/model.h"

namespace eqm::app {

struct GivenImage {
  int64_t number = 0;
  std::string source;  // where it comes from, in UTF-8
  int64_t label = -1;  // its class of the model; kNullClass where that is not known
  State state;
};

struct GivenImagesOptions {
  std::string data;                   // a named set or a path
  int64_t count = 16;                 // how many, chosen at random but always the same
  std::vector<int64_t> numbers = {};  // these of the set, in place of `count`
  std::string label = "own";          // own for each image's class, null for none, or a class
  double states_each = 4;             // that are held of an image at once, for the memory
};

// A usage error unless the model is blind to the noise level and has data at rest: flows and models
// that are shown γ begin at pure noise, and would take an image for it.
void require_blind(const Objective& objective);

// Of the test part of a set that has one. Images are cropped and scaled to those of the model. Kind
// usage for models of other things than images.
std::vector<GivenImage> read_given_images(const GivenImagesOptions& options, const Model& model,
                                          const Codec& codec, Host& host);

// A usage error where guidance is asked for and no image has a label, or the model no null class.
void require_guidable(const GuidanceOptions& guidance, const Model& model,
                      const std::vector<GivenImage>& images);

// A picture file of any size.
GivenImage read_given_picture(const std::string& path, const Model& model, const Codec& codec);

}  // namespace eqm::app
