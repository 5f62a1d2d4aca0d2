#include "eqm/codec/tiles.h"

#include <algorithm>
#include <vector>

namespace eqm {
namespace {

struct Span {
  int64_t begin = 0, end = 0;
};

// Evenly spread; the last ends where the axis does.
std::vector<Span> spans_of(int64_t length, const Tiling& tiling) {
  if (length <= tiling.side) return {{0, length}};
  const int64_t free = length - tiling.side, stride = tiling.side - tiling.overlap;
  const int64_t count = (free + stride - 1) / stride + 1;
  std::vector<Span> spans;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = free * i / (count - 1) / tiling.align * tiling.align;
    spans.push_back({begin, i + 1 == count ? length : begin + tiling.side});
  }
  return spans;
}

// Rises over the overlap with the span before, falls over that with the next; [length of span i],
// in pixels of the output.
Tensor weights_of(const std::vector<Span>& spans, size_t i, int64_t up, int64_t down,
                  const torch::TensorOptions& type) {
  const auto scaled = [&](int64_t pixels) { return pixels * up / down; };
  Tensor weights = torch::ones({scaled(spans[i].end - spans[i].begin)}, type);
  const auto ramp = [&](int64_t length) {
    return torch::arange(1, length + 1, type) / static_cast<double>(length + 1);
  };
  if (i > 0) {
    const int64_t shared = scaled(spans[i - 1].end - spans[i].begin);
    if (shared > 0) weights.narrow(0, 0, shared).mul_(ramp(shared));
  }
  if (i + 1 < spans.size()) {
    const int64_t shared = scaled(spans[i].end - spans[i + 1].begin);
    if (shared > 0) weights.narrow(0, weights.size(0) - shared, shared).mul_(ramp(shared).flip(0));
  }
  return weights;
}

}  // namespace

Tensor in_tiles(const Tensor& x, const Tiling& tiling, int64_t up, int64_t down,
                const std::function<Tensor(const Tensor&)>& function) {
  const std::vector<Span> rows = spans_of(x.size(2), tiling), columns = spans_of(x.size(3), tiling);
  if (rows.size() == 1 && columns.size() == 1) return function(x);
  Tensor sum, weight;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = 0; j < columns.size(); ++j) {
      const int64_t height = rows[i].end - rows[i].begin, width = columns[j].end - columns[j].begin;
      const Tensor made =
          function(x.narrow(2, rows[i].begin, height).narrow(3, columns[j].begin, width));
      if (!sum.defined()) {
        const int64_t full_height = x.size(2) * up / down, full_width = x.size(3) * up / down;
        sum = torch::zeros({x.size(0), made.size(1), full_height, full_width}, made.options());
        weight = torch::zeros({full_height, full_width}, made.options());
      }
      const Tensor share = weights_of(rows, i, up, down, made.options()).unsqueeze(1) *
                           weights_of(columns, j, up, down, made.options());
      const auto part_of = [&](const Tensor& whole, int64_t axis) {
        return whole.narrow(axis, rows[i].begin * up / down, made.size(2))
            .narrow(axis + 1, columns[j].begin * up / down, made.size(3));
      };
      part_of(sum, 2).add_(made * share);
      part_of(weight, 0).add_(share);
    }
  }
  return sum.div_(weight);
}

}  // namespace eqm
