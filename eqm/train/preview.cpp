#include "eqm/train/preview.h"

#include <algorithm>

#include <torch/torch.h>

#include "eqm/codec/pictures.h"
#include "eqm/descend/sampling.h"

namespace eqm {
namespace {

constexpr int64_t kMostRows = 10;  // more classes than this would make a poster, not a look

}  // namespace

Image draw_preview(const Model& model, const PreviewOptions& options, const std::string& title) {
  const int64_t classes = model.backbone->num_classes();
  const int64_t rows = classes > 1 ? std::min(classes, kMostRows) : options.per_class;
  SamplingRequest request = {.labels = {},
                             .count = rows * options.per_class,
                             .seed = options.seed,
                             .descent = options.descent};
  std::vector<std::string> names;
  if (classes > 1) {
    request.labels = torch::arange(rows).repeat_interleave(options.per_class);
    for (int64_t row = 0; row < rows && !model.class_names.empty(); ++row) {
      names.push_back(model.class_names[static_cast<size_t>(row)]);
    }
  }
  const DescentResult result = sample(LearnedField(model), request);
  return picture_grid(result.x, model.scaling, options.per_class, names, title);
}

}  // namespace eqm
