#include "eqm/train/preview.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/codec/pictures.h"
#include "eqm/descend/sampling.h"
#include "eqm/landscape/labels.h"

namespace eqm {
namespace {

constexpr size_t kMostRows = 10;  // more classes than this would make a poster, not a look

// Those that have a row each; none where samples have no class.
std::vector<int64_t> shown_labels(const Model& model, const std::string& chosen) {
  std::vector<int64_t> labels = chosen.empty() ? every_class(model) : labels_of(model, chosen);
  if (std::ranges::all_of(labels, [](int64_t label) { return label == kNullClass; })) return {};
  if (labels.size() > kMostRows) labels.resize(kMostRows);
  return labels;
}

}  // namespace

std::optional<Image> draw_preview(const Model& model, const Codec& codec,
                                  const PreviewOptions& options, const std::string& title) {
  const std::vector<int64_t> labels = shown_labels(model, options.labels);
  const int64_t rows = labels.empty() ? options.per_class : static_cast<int64_t>(labels.size());
  bool whole = true;
  SamplingSpec request = {.labels = {},
                          .count = rows * options.per_class,
                          .guidance = options.guidance,
                          .seed = options.seed,
                          .descent = options.descent};
  if (!labels.empty()) {
    request.labels =
        torch::tensor(labels, torch::kInt64).index({labels_in_turn(rows, request.count)});
  }
  request.go_on = [&](const EngineCounts&) {
    whole = whole && (!options.go_on || options.go_on());
    return whole;
  };
  Tensor states = sample(LearnedField(model), request).x;
  if (!whole) return std::nullopt;
  std::vector<std::string> names;
  if (!labels.empty()) {  // labels in turn become rows of a class each
    states = states.unflatten(0, {options.per_class, rows}).transpose(0, 1).flatten(0, 1);
  }
  if (!model.class_names.empty()) {
    for (const int64_t label : labels) names.push_back(label_name(model, label));
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
  const auto validate = [options, every](const Snapshot& untrained) {
    if (every == 0) return;
    const LearnedField field(untrained.model);
    const std::vector<int64_t> labels = shown_labels(untrained.model, options.labels);
    eqm::validate({.labels = labels.empty() ? Tensor() : torch::tensor(labels, torch::kInt64),
                   .count = static_cast<int64_t>(labels.size()),
                   .guidance = options.guidance},
                  field);
  };
  return {.name = "samples", .every = every, .measure = measure, .validate = validate};
}

}  // namespace eqm
