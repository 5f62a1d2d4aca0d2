#include "eqm/io/sample_npz.h"

#include "eqm/base/error.h"

namespace eqm {
namespace {

constexpr int kGrey = 1, kColour = 3;

std::vector<uint8_t> colour_of(const Image& image) {
  if (image.channels == kColour) return image.pixels;
  std::vector<uint8_t> pixels;
  pixels.reserve(image.pixels.size() * kColour);
  for (const uint8_t value : image.pixels) pixels.insert(pixels.end(), kColour, value);
  return pixels;
}

}  // namespace

void SampleNpz::add(const Image& image, std::optional<int64_t> label) {
  if (problem_of(image) || (image.channels != kGrey && image.channels != kColour)) {
    throw Error(ErrorKind::usage, "only grey and colour pictures go into an .npz of samples",
                "give images of 1 or 3 channels");
  }
  if (count_ == 0) {
    width_ = image.width;
    height_ = image.height;
    writer_.begin("arr_0", Dtype::u8, {height_, width_, kColour});
  }
  const bool fits = image.width == width_ && image.height == height_;
  const bool labelled_alike = count_ == 0 || labels_.empty() != label.has_value();
  if (!fits || !labelled_alike) {
    throw Error(ErrorKind::usage, "the samples of an .npz differ in size, or some lack labels",
                "write samples of one model and one kind of labels into a file");
  }
  const std::vector<uint8_t> pixels = colour_of(image);
  writer_.write(std::as_bytes(std::span(pixels)));
  if (label) labels_.push_back(*label);
  ++count_;
}

void SampleNpz::commit() {
  if (count_ == 0) {
    throw Error(ErrorKind::usage, "there are no samples to write", "ask for at least one");
  }
  writer_.end();
  if (!labels_.empty()) {
    writer_.begin("arr_1", Dtype::i64, {});
    writer_.write(std::as_bytes(std::span(labels_)));
    writer_.end();
  }
  writer_.commit();
}

}  // namespace eqm
