#include "eqm/data/augment.h"

#include <algorithm>
#include <string>

#include "eqm/base/draws.h"
#include "eqm/base/error.h"
#include "eqm/base/noise.h"

namespace eqm {
bool is_flipped(uint64_t seed, int64_t epoch, int64_t index) {
  return uniform({.seed = seed ^ kFlipSeed,
                  .sample = static_cast<uint64_t>(index),
                  .draw = static_cast<uint32_t>(epoch)}) < 0.5;
}

void flip_horizontally(Example& example) {
  if (example.shape.size() != 3) {
    throw Error(ErrorKind::usage,
                "only images [C, H, W] can be mirrored, not examples with " +
                    std::to_string(example.shape.size()) + " axes",
                "train without flips");
  }
  const size_t element = size_of(example.dtype);
  const size_t row = static_cast<size_t>(example.shape[2]) * element;
  if (row == 0) return;
  // Reversing all bytes of a row and then those of each element mirrors the elements.
  for (auto begin = example.bytes.begin(); begin != example.bytes.end();
       begin += static_cast<ptrdiff_t>(row)) {
    const auto end = begin + static_cast<ptrdiff_t>(row);
    std::reverse(begin, end);
    if (element == 1) continue;
    for (auto at = begin; at != end; at += static_cast<ptrdiff_t>(element)) {
      std::reverse(at, at + static_cast<ptrdiff_t>(element));
    }
  }
}

void keep_one_view(Example& example, bool mirrored) {
  if (example.posteriors == 0) return;
  if (mirrored && example.posteriors < 2) {
    throw Error(ErrorKind::internal, "an example has no posterior of its mirror image");
  }
  const auto each = static_cast<std::ptrdiff_t>(example.bytes.size()) / example.posteriors;
  const auto begin = example.bytes.begin() + (mirrored ? each : 0);
  example.bytes = std::vector<std::byte>(begin, begin + each);
  example.shape[0] /= example.posteriors;
  example.posteriors = 1;
}

}  // namespace eqm
