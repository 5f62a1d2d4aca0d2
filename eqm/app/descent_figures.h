// Pictures of samples on their way: stages side by side, the norm and the energy over the steps,
// and an animation.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eqm/app/sample_path.h"
#include "eqm/codec/codec.h"
#include "eqm/draw/canvas.h"
#include "eqm/io/png.h"

namespace eqm::app {

struct NamedPath {
  int64_t sample = 0;
  std::string name;  // of its class, or its number
  const SamplePath* path = nullptr;
};

// A row per path with stages even in its steps; below each its step and, where known, the norm of
// the gradient. `shape` is that of a state.
Image trace_picture(const std::vector<NamedPath>& paths, const Shape& shape, const Codec& codec);

enum class Quantity { norm, energy };

// Whether any path has readings of it that are numbers.
bool has_quantity(const std::vector<NamedPath>& paths, Quantity quantity);

// Each path thinly, and the median and range of those still moving at a step.
draw::Canvas way_chart(const std::vector<NamedPath>& paths, Quantity quantity);

// sample, label, step, norm and energy of all readings.
void write_readings(const std::filesystem::path& file, const std::vector<NamedPath>& paths);

// How many samples an animation shows and how many states of each it needs, so that neither memory
// nor file grow with the size of the states; fewer where every state must be decoded.
struct AnimationSize {
  int64_t pictures = 0;
  size_t few_states = 0;  // as Thinned takes it
};
AnimationSize animation_size(const Shape& shape, bool decoded);

// All paths together coming out of the noise, as an APNG that repeats: `columns` to a row, the rows
// named. Samples that are done earlier wait for the others. The still picture shows the end.
void write_animation(const std::filesystem::path& file, const std::vector<NamedPath>& paths,
                     const Shape& shape, const Codec& codec, int64_t columns,
                     const std::vector<std::string>& row_names, const PngText& text);

}  // namespace eqm::app
