// Images that descents start from in place of pure noise: x_γ = γ x + (1-γ) ε of each. No model is
// given γ: a flow follows its whole time from there, as if from pure noise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/base/options.h"
#include "eqm/codec/codec.h"
#include "eqm/data/batch.h"
#include "eqm/descend/sampling_spec.h"
#include "eqm/landscape/model.h"

namespace eqm::app {

struct StartOptions {
  double gamma = 0;       // share of an image that is left; 0: samples start from pure noise
  std::string data = {};  // the images; empty: those of the reference

  void declare(OptionSet& options);
};

// γ in [0, 1], for grids that have it as an axis.
void declare_gamma(OptionSet& options, double& gamma);

struct StartImages {
  Tensor states = {};                // [n, ...] float64 on the CPU
  std::vector<int64_t> labels = {};  // [n], kNullClass where an image has none that the model knows
  std::vector<std::string> sources = {};  // [n], where each comes from, in UTF-8
  bool labelled = false;                  // the classes of the images are the model's

  int64_t size() const { return states.size(0); }
};

struct ImagesWanted {
  std::string data;                   // a named set or a path
  int64_t count = 16;                 // at most, chosen by chance but always the same
  std::vector<int64_t> numbers = {};  // these of the set, in place of `count`
  // For the memory: how many states of an image are held at once, and what to do where that is too
  // much. Clean, noised, the result, and those on the way:
  double states_each = 5;
  std::string remedy = "lower {count}";
};

// Images of the part that was not trained on, as states of the model. Kind usage for a model of
// something else and for numbers that the set does not have, input for other shapes.
StartImages read_start_images(const ImagesWanted& wanted, const Model& model, const Codec& codec,
                              Host& host);

// What pictures of the model's states are, [C, H, W]. Kind usage for a model of something else.
Shape picture_shape_of(const Model& model, const Codec& codec);

// Whether pictures of that shape are grey or in colour, and no tensors.
bool takes_pixels(const Shape& picture);

// The images of a batch as states of the model, float64. Kind input for other shapes.
Tensor states_for(const Batch& batch, const Model& model, const Codec& codec);

// The same for samples that are compared with `reference`, with a warning where they are no starts.
StartImages images_to_start_from(const StartOptions& options, const std::string& reference,
                                 int64_t samples, const Model& model, const Codec& codec,
                                 Host& host);

// Lets every sample start from an image, in turn where there are fewer, with its label unless
// others were `chosen`. ε is the noise that the sample would start from otherwise, so that γ = 0
// would change nothing but the labels. The images must outlive the spec.
void start_from(const StartImages& images, double gamma, const Model& model,
                const std::string& chosen, SamplingSpec& spec);

// Warns of models that cannot start anywhere but from pure noise: flows, and those that see γ.
void warn_of_taken_for_noise(const Objective& objective, Logger& log);

}  // namespace eqm::app
