#include "eqm/measure/inception_input.h"

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/measure/inception.h"

namespace eqm {
namespace {

// Along one axis: a row of the result lies between two of the source, `share` of the way.
struct Between {
  Tensor first, second;  // [299] int64
  Tensor share;          // [299]
};

// TensorFlow computes positions in the precision of the pictures.
Between places_along(int64_t size, const torch::TensorOptions& type) {
  const Tensor length = torch::full({}, static_cast<double>(size), type);
  const Tensor positions = torch::arange(kInceptionSide, type) * (length / kInceptionSide);
  const Tensor first = positions.floor();
  return {.first = first.to(torch::kInt64),
          .second = (first + 1).clamp_max(size - 1).to(torch::kInt64),
          .share = positions - first};
}

Tensor resized_as_tensorflow(const Tensor& pixels) {
  const Between rows = places_along(pixels.size(2), pixels.options()),
                columns = places_along(pixels.size(3), pixels.options());
  const auto along_columns = [&](const Tensor& x) {
    const Tensor left = x.index_select(3, columns.first);
    return left + (x.index_select(3, columns.second) - left) * columns.share;
  };
  const Tensor top = along_columns(pixels.index_select(2, rows.first));
  const Tensor bottom = along_columns(pixels.index_select(2, rows.second));
  return top + (bottom - top) * rows.share.unsqueeze(1);
}

}  // namespace

const Names<InceptionConvention>& inception_convention_names() {
  static const Names<InceptionConvention> names = {
      {"adm", InceptionConvention::adm}, {"pytorch-fid", InceptionConvention::pytorch_fid}};
  return names;
}

Tensor inception_input(const Tensor& pixels, InceptionConvention convention,
                       const torch::TensorOptions& type) {
  const torch::NoGradGuard guard;
  if (pixels.dim() != 4 || (pixels.size(1) != 1 && pixels.size(1) != 3)) {
    throw Error(ErrorKind::input, "Inception looks at grey or colour pictures only",
                "states of other kinds must be decoded first");
  }
  const Tensor colour = pixels.to(type).expand({-1, 3, -1, -1});
  if (convention == InceptionConvention::adm) return (resized_as_tensorflow(colour) - 128) / 128;
  const Shape size = {kInceptionSide, kInceptionSide};
  return 2 * torch::upsample_bilinear2d(colour / 255, size, /*align_corners=*/false) - 1;
}

}  // namespace eqm
