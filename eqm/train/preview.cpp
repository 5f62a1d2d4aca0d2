#include "eqm/train/preview.h"

#include <algorithm>

#include "eqm/codec/pictures.h"
#include "eqm/descend/sampling.h"

namespace eqm {
namespace {

constexpr int64_t kMostRows = 10;  // more classes than this would make a poster, not a look
constexpr int64_t kAtOnce = 64;    // bounds the memory

}  // namespace

Image draw_preview(const Model& model, const PreviewOptions& options, const std::string& title) {
  const int64_t classes = model.backbone->num_classes();
  const int64_t rows = classes > 0 ? std::min(classes, kMostRows) : options.per_class;
  const int64_t count = rows * options.per_class;
  const LearnedField field(model);
  std::vector<Tensor> states;
  for (int64_t first = 0; first < count; first += kAtOnce) {
    SamplingRequest request = {.labels = {},
                               .count = std::min(kAtOnce, count - first),
                               .seed = options.seed,
                               .first_sample = first,
                               .descent = options.descent};
    if (classes > 0) {
      const Tensor labels = torch::arange(rows).repeat_interleave(options.per_class);
      request.labels = labels.narrow(0, first, request.count);
    }
    states.push_back(sample(field, request).x.cpu());
  }
  std::vector<std::string> names;
  for (int64_t row = 0; classes > 0 && row < rows && !model.class_names.empty(); ++row) {
    names.push_back(model.class_names[static_cast<size_t>(row)]);
  }
  return picture_grid(torch::cat(states), model.scaling, options.per_class, names, title);
}

}  // namespace eqm
