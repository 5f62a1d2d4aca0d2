// Goes from one image to another along a landscape: by a minimum-energy path, or by descents from
// what lies between the two in noise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/codec/options.h"
#include "eqm/descend/options.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

enum class InterpolateBy {
  automatic,  // path where the model has an explicit energy, else noise
  path,       // relax a chain of states across the landscape (descend/energy_path.h)
  noise,      // noise both ends, go from one to the other along an arc, and descend
};

struct InterpolateOptions {
  std::string model;  // empty: the shipped one
  std::string data;
  std::string from, to;  // numbers in the data or picture files; empty: pairs at random
  int64_t pairs = 4;
  int64_t frames = 7;  // between the two images
  InterpolateBy by = InterpolateBy::automatic;
  double gamma = 0.4;         // noise: share of the images that is left
  bool same_noise = false;    // noise: both ends have the same
  std::string label = "own";  // "own", "null" or a class
  int64_t path_steps = 300;   // path: at most
  int64_t seed = 0;
  DescentOptions descent;
  std::string out = "out/interpolate";
  bool pictures = true;
  CodecOptions codec;
  RuntimeOptions runtime;

  void declare(OptionSet& options);
};

struct InterpolateResult {
  InterpolateBy by = InterpolateBy::noise;  // what was done
  int64_t asked = 0, done = 0;              // pairs
  double mean_steps = 0;                    // of frames, or of paths
  // Paths over an explicit energy: the mean over pairs of the highest energy on the way above that
  // of the higher end, 0 where none is higher. Not a number otherwise.
  double mean_barrier = 0;
  std::vector<std::string> files;  // written to `out`
  bool stopped = false;
};

InterpolateResult run(const InterpolateOptions& options, Host& host);

// A few lines for people.
std::string text_of(const InterpolateResult& result);

}  // namespace eqm::app
