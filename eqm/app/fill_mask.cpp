#include "eqm/app/fill_mask.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/base/names.h"
#include "eqm/data/pixels.h"
#include "eqm/io/image.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/text.h"

namespace eqm::app {
namespace {

enum class MaskSide { left, right, top, bottom, centre };

const Names<MaskSide>& mask_side_names() {
  static const Names<MaskSide> names = {{"left", MaskSide::left},
                                        {"right", MaskSide::right},
                                        {"top", MaskSide::top},
                                        {"bottom", MaskSide::bottom},
                                        {"centre", MaskSide::centre}};
  return names;
}

constexpr const char* kMaskAdvice =
    "write left, right, top, bottom or centre, with a share as in left:0.3, or the path of a "
    "picture that is bright where pixels are missing";

struct SideMask {
  MaskSide side = MaskSide::centre;
  double share = 0.5;
};

// Nothing when the text does not begin with a side.
std::optional<SideMask> side_mask(std::string_view text) {
  const size_t colon = text.find(':');
  const auto side = find_named(mask_side_names(), std::string(trimmed(text.substr(0, colon))));
  if (!side) return std::nullopt;
  SideMask mask = {.side = *side};
  if (colon == std::string_view::npos) return mask;
  const std::string_view number = trimmed(text.substr(colon + 1));
  const char* end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, mask.share);
  if (error != std::errc{} || stop != end || !(mask.share > 0 && mask.share < 1)) {
    throw Error(ErrorKind::usage, fmt::format("{} names no share between 0 and 1", in_quotes(text)),
                kMaskAdvice);
  }
  return mask;
}

// Of a side of `length` pixels, at least one and not all.
int64_t masked_length(double share, int64_t length) {
  const auto pixels = std::llround(share * static_cast<double>(length));
  return std::clamp<int64_t>(pixels, 1, std::max<int64_t>(1, length - 1));
}

FillMask from_side(const SideMask& side, int64_t height, int64_t width) {
  const int64_t rows = masked_length(side.share, height),
                columns = masked_length(side.share, width);
  int64_t top = 0, bottom = height, left = 0, right = width;
  switch (side.side) {
    case MaskSide::left:
      right = columns;
      break;
    case MaskSide::right:
      left = width - columns;
      break;
    case MaskSide::top:
      bottom = rows;
      break;
    case MaskSide::bottom:
      top = height - rows;
      break;
    case MaskSide::centre:
      top = (height - rows) / 2, bottom = top + rows;
      left = (width - columns) / 2, right = left + columns;
      break;
  }
  FillMask mask = {.height = height, .width = width, .missing = {}};
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      mask.missing.push_back(y >= top && y < bottom && x >= left && x < right);
    }
  }
  return mask;
}

FillMask from_picture(const std::string& path, int64_t height, int64_t width) {
  constexpr uint8_t kBright = 128;
  const Image image = decode_image(MappedFile::open(path).bytes(), path);
  if (image.height != height || image.width != width) {
    throw Error(ErrorKind::input,
                fmt::format("the mask {} has {}x{} pixels, and the pictures have {}x{}",
                            in_quotes(path), image.width, image.height, width, height),
                "give a mask of the size of the model's pictures");
  }
  const Example grey = example_from_image(image, 1);
  FillMask mask = {.height = height, .width = width, .missing = {}};
  for (const std::byte value : grey.bytes) {
    mask.missing.push_back(std::to_integer<uint8_t>(value) >= kBright);
  }
  return mask;
}

}  // namespace

double FillMask::share() const {
  return static_cast<double>(std::ranges::count(missing, true)) /
         static_cast<double>(std::max<size_t>(1, missing.size()));
}

FillMask read_fill_mask(const std::string& text, int64_t height, int64_t width) {
  if (trimmed(text).empty()) throw Error(ErrorKind::usage, "no mask was given", kMaskAdvice);
  FillMask mask;
  if (const auto side = side_mask(text)) {
    mask = from_side(*side, height, width);
  } else {
    try {
      mask = from_picture(text, height, width);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::io) throw;
      throw Error(ErrorKind::usage,
                  fmt::format("{} is neither a side nor a picture", in_quotes(text)), kMaskAdvice);
    }
  }
  const double share = mask.share();
  if (share == 0 || share == 1) {
    throw Error(ErrorKind::usage,
                share == 0 ? "the mask leaves nothing to fill in" : "the mask leaves nothing known",
                "a mask picture is bright where pixels are missing and dark elsewhere");
  }
  return mask;
}

std::vector<bool> known_elements(const FillMask& mask, const Shape& state) {
  const int64_t rows = mask.height / state[1], columns = mask.width / state[2];
  if (rows * state[1] != mask.height || columns * state[2] != mask.width) {
    throw Error(ErrorKind::internal, "a mask does not fit the states of its pictures");
  }
  std::vector<bool> known;
  for (int64_t channel = 0; channel < state[0]; ++channel) {
    for (int64_t y = 0; y < mask.height; y += rows) {
      for (int64_t x = 0; x < mask.width; x += columns) {
        bool missing = false;
        for (int64_t i = 0; i < rows * columns; ++i) {
          const int64_t at = (y + i / columns) * mask.width + x + i % columns;
          missing = missing || mask.missing[static_cast<size_t>(at)];
        }
        known.push_back(!missing);
      }
    }
  }
  return known;
}

}  // namespace eqm::app
