#include "eqm/train/preview.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/codec/pictures.h"
#include "eqm/descend/sampling.h"
#include "eqm/landscape/labels.h"

namespace eqm {
namespace {

constexpr int64_t kMostRows = 10;  // more classes than this would make a poster, not a look

}  // namespace

std::optional<Image> draw_preview(const Model& model, const Codec& codec,
                                  const PreviewOptions& options, const std::string& title) {
  const int64_t classes = model.backbone->num_classes();
  const int64_t rows = classes > 0 ? std::min(classes, kMostRows) : options.per_class;
  bool whole = true;
  SamplingSpec request = {.labels = {},
                          .count = rows * options.per_class,
                          .seed = options.seed,
                          .descent = options.descent};
  if (classes > 0) request.labels = labels_in_turn(rows, request.count);
  request.go_on = [&](const EngineCounts&) {
    whole = whole && (!options.go_on || options.go_on());
    return whole;
  };
  Tensor states = sample(LearnedField(model), request).x;
  if (!whole) return std::nullopt;
  if (classes > 0) {  // labels in turn become rows of a class each
    states = states.unflatten(0, {options.per_class, rows}).transpose(0, 1).flatten(0, 1);
  }
  std::vector<std::string> names;
  for (int64_t row = 0; classes > 0 && row < rows && !model.class_names.empty(); ++row) {
    names.push_back(model.class_names[static_cast<size_t>(row)]);
  }
  return picture_grid(states, codec, options.per_class, names, title);
}

Measurement preview_measurement(const PreviewOptions& options, int64_t every) {
  const auto measure = [options](const Snapshot& snapshot) -> std::optional<MeasurementOutput> {
    const std::optional<Image> grid = draw_preview(snapshot.model, snapshot.codec, options,
                                                   fmt::format("step {}", snapshot.step));
    if (!grid) return std::nullopt;
    return MeasurementOutput{.picture = grid};
  };
  return {.name = "samples", .every = every, .measure = measure};
}

}  // namespace eqm
