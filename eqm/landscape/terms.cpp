#include "eqm/landscape/terms.h"

#include "eqm/base/error.h"

namespace eqm {
namespace {

constexpr int64_t kReferenceGuidedChannels = 3;

// Σ_k w_k g_k; gradients [K, B, ...], weights [K, B]
Tensor weighted_sum(const Tensor& gradients, const Tensor& weights) {
  Shape shape(static_cast<size_t>(gradients.dim()), 1);
  shape[0] = weights.size(0);
  shape[1] = weights.size(1);
  return (gradients * weights.to(gradients.options()).reshape(shape)).sum(0);
}

}  // namespace

Terms Terms::rows(const Tensor& index) const {
  const auto some = [&](const Tensor& table) {
    return table.defined() ? table.to(index.device()).index_select(1, index) : table;
  };
  return {.labels = some(labels),
          .weights = some(weights),
          .split = split,
          .rest_weights = some(rest_weights)};
}

Terms guidance(const Tensor& labels, int64_t null_label, double scale, GuidedChannels channels) {
  if (null_label < 0) {
    throw Error(ErrorKind::usage, "guidance needs a null class, and this model has none",
                "sample without guidance");
  }
  const auto constant = [&](double value) {
    return torch::full({labels.size(0)}, value, labels.options().dtype(torch::kFloat64));
  };
  Terms terms;
  terms.labels = torch::stack({torch::full_like(labels, null_label), labels});
  terms.weights = torch::stack({constant(1 - scale), constant(scale)});
  if (channels == GuidedChannels::first_three) {
    terms.split = kReferenceGuidedChannels;
    terms.rest_weights = torch::stack({constant(0), constant(1)});
  }
  return terms;
}

Terms composition(const std::vector<Tensor>& labels) {
  const Tensor stacked = torch::stack(labels);
  return {.labels = stacked,
          .weights = torch::ones(stacked.sizes(), stacked.options().dtype(torch::kFloat64)),
          .split = -1,
          .rest_weights = {}};
}

Tensor weighted_gradient(const Field& field, const Tensor& x, const Terms& terms,
                         const Tensor& time) {
  const int64_t count = terms.labels.size(0);
  Shape repeats(static_cast<size_t>(x.dim()), 1);
  repeats[0] = count;
  const Condition condition = {.labels = terms.labels.flatten(),
                               .time = time.defined() ? time.repeat({count}) : Tensor()};
  Shape shape = x.sizes().vec();
  shape.insert(shape.begin(), count);
  const Tensor gradients = field.gradient(x.repeat(repeats), condition).reshape(shape);
  if (terms.split < 0 || x.dim() < 2 || terms.split >= x.size(1)) {
    return weighted_sum(gradients, terms.weights);
  }
  const int64_t rest = x.size(1) - terms.split;
  return torch::cat({weighted_sum(gradients.narrow(2, 0, terms.split), terms.weights),
                     weighted_sum(gradients.narrow(2, terms.split, rest), terms.rest_weights)},
                    1);
}

}  // namespace eqm
