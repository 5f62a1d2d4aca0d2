// The animation of descent_figures.h.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "eqm/app/descent_figures.h"
#include "eqm/codec/pictures.h"
#include "eqm/descend/sampling.h"
#include "eqm/draw/image_grid.h"
#include "eqm/io/apng.h"

namespace eqm::app {
namespace {

constexpr int64_t kMostPictures = 40, kMostDecoded = 6;
constexpr size_t kFewStates = 20, kFewest = 8;
constexpr int64_t kMostNumbers = int64_t{1} << 22;  // of all states kept: 32 MB, twice for a moment
constexpr int kWholeMilliseconds = 3000;            // from noise to the end
constexpr int kFirstMilliseconds = 600, kLastMilliseconds = 2500;

// White at the right and below, where a title of fewer digits made the frame narrower.
Image padded(const Image& image, int width, int height) {
  Image result = {.width = width, .height = height, .channels = image.channels, .pixels = {}};
  const auto row = static_cast<size_t>(image.width * image.channels);
  const auto wide = static_cast<size_t>(width * image.channels);
  result.pixels.assign(wide * static_cast<size_t>(height), 255);
  for (int y = 0; y < std::min(height, image.height); ++y) {
    const auto at = static_cast<size_t>(y);
    std::copy_n(image.pixels.begin() + static_cast<std::ptrdiff_t>(at * row), std::min(row, wide),
                result.pixels.begin() + static_cast<std::ptrdiff_t>(at * wide));
  }
  return result;
}

// One channel is a third of the file.
Image in_grey(const Image& image) {
  Image grey = {.width = image.width, .height = image.height, .channels = 1, .pixels = {}};
  for (size_t k = 0; k < image.pixels.size(); k += 3) grey.pixels.push_back(image.pixels[k + 1]);
  return grey;
}

}  // namespace

AnimationSize animation_size(const Shape& shape, bool decoded) {
  const int64_t numbers = std::max<int64_t>(1, c10::multiply_integers(shape));
  AnimationSize size = {.pictures = decoded ? kMostDecoded : kMostPictures,
                        .few_states = decoded ? kFewest : kFewStates};
  // Large states are kept less often, and then fewer of them are shown.
  const auto affordable = static_cast<size_t>(kMostNumbers / (2 * numbers));
  size.few_states = std::clamp(affordable, kFewest, size.few_states);
  const auto each = static_cast<int64_t>(2 * size.few_states) * numbers;
  size.pictures = std::clamp<int64_t>(kMostNumbers / each, 1, size.pictures);
  return size;
}

void write_animation(const std::filesystem::path& file, const std::vector<NamedPath>& paths,
                     const Shape& shape, const Codec& codec, int64_t columns,
                     const std::vector<std::string>& row_names, const PngText& text) {
  int64_t stride = 1, last = 0;
  for (const NamedPath& one : paths) {
    stride = std::max(stride, one.path->states.stride());
    last = std::max(last, one.path->end.step);
  }
  std::vector<int64_t> steps;
  for (int64_t step = 0; step < last; step += stride) steps.push_back(step);
  steps.push_back(last);
  const bool grey = codec.picture_shape(shape)[0] == 1;
  Shape batch = shape;
  batch.insert(batch.begin(), static_cast<int64_t>(paths.size()));
  Tensor states = torch::empty(batch, torch::kFloat64);
  const auto frame_at = [&](int64_t step) {
    for (size_t i = 0; i < paths.size(); ++i) {
      put_state(paths[i].path->at(step), states, static_cast<int64_t>(i));
    }
    const Image image =
        picture_grid(states, codec, columns, row_names, fmt::format("step {} of {}", step, last));
    return grey ? in_grey(image) : image;
  };
  const Image still = frame_at(last);
  ApngWriter writer(file, still, static_cast<int>(steps.size()), text);
  const int each = std::clamp(kWholeMilliseconds / static_cast<int>(steps.size()), 50, 250);
  for (const int64_t step : steps) {
    const int time = step == last ? kLastMilliseconds : step == 0 ? kFirstMilliseconds : each;
    writer.add(step == last ? still : padded(frame_at(step), still.width, still.height), time);
  }
  writer.commit();
}

}  // namespace eqm::app
