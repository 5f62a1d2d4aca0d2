#include "eqm/backbone/backbone.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm {
Condition Condition::rows(const Tensor& index) const {
  const auto some = [&](const Tensor& all) {
    return all.defined() ? all.to(index.device()).index_select(0, index) : all;
  };
  return {.labels = some(labels), .time = some(time), .dropout = some(dropout)};
}

Tensor Backbone::effective_labels(const Tensor& labels, int64_t batch, torch::Device device) const {
  const int64_t null = null_label();
  if (!labels.defined()) {
    if (null < 0) {
      throw Error(ErrorKind::usage, "this model has no null class, so every sample needs a label",
                  fmt::format("give labels from 0 to {}", num_classes() - 1));
    }
    return torch::full({batch}, null, torch::TensorOptions(torch::kInt64).device(device));
  }
  const int64_t most = std::max(null, num_classes() - 1);
  const bool valid = labels.numel() == 0 ||
                     (labels.min().item<int64_t>() >= 0 && labels.max().item<int64_t>() <= most);
  if (labels.size(0) != batch || !valid) {
    throw Error(ErrorKind::usage, "the labels do not fit the batch or the model's classes",
                fmt::format("{} labels from 0 to {} are needed", batch, most));
  }
  return labels.to(device);
}

int64_t parameter_count(const Backbone& backbone) {
  int64_t count = 0;
  for (const Tensor& parameter : backbone.parameters()) count += parameter.numel();
  return count;
}

torch::TensorOptions options_of(const Backbone& backbone) {
  return backbone.parameters().front().options().requires_grad(false);
}

}  // namespace eqm
