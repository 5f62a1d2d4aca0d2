#include "eqm/landscape/divergence.h"

#include <algorithm>
#include <vector>

#include "eqm/base/error.h"
#include "eqm/tensor/gradient.h"

namespace eqm {
namespace {

constexpr int64_t kProbedRows = 256;  // evaluated at once, unless the batch itself is larger

struct Probed {
  Tensor value;     // [B, ...]
  Tensor products;  // [k, B], float64: v·(∂f/∂x)v
};

// All probes of a batch are rows of one evaluation, as far as that many fit.
Probed probe(const DifferentiableField& field, const Tensor& x, const Condition& condition,
             const Tensor& probes) {
  const int64_t batch = x.size(0), count = probes.size(0);
  const int64_t together = std::max<int64_t>(1, kProbedRows / std::max<int64_t>(1, batch));
  Probed result;
  std::vector<Tensor> products;
  for (int64_t first = 0; first < count; first += together) {
    const int64_t some = std::min(together, count - first);
    const Tensor index = torch::arange(batch, torch::kInt64).repeat({some});
    const Tensor vectors =
        probes.narrow(0, first, some).reshape({some * batch, -1}).to(x.options());
    const Tensor rows = x.index_select(0, index.to(x.device()));
    const Condition of_rows = condition.rows(index);
    const auto along = [&](const Tensor& point) {
      const Tensor value = field(point, of_rows);
      if (!result.value.defined()) result.value = value.detach().narrow(0, 0, batch).clone();
      return (value.flatten(1) * vectors).sum(1);
    };
    const Tensor transposed = value_and_gradient(along, rows, Graph::discard).gradient.flatten(1);
    products.push_back((transposed.to(torch::kFloat64) * vectors.to(torch::kFloat64))
                           .sum(1)
                           .reshape({some, batch}));
  }
  result.products = torch::cat(products);
  return result;
}

}  // namespace

DifferentiableField differentiable(const LearnedField& field) {
  if (field.has_energy()) {
    throw Error(ErrorKind::usage,
                "the divergence of an explicit energy's gradient would take third derivatives",
                "give a model whose output is the gradient or the velocity itself");
  }
  return [&field](const Tensor& x, const Condition& condition) {
    const Model& model = field.model();
    Conditioning conditioning;
    {
      const torch::NoGradGuard guard;  // does not depend on x
      const Condition seen = {.labels = condition.labels,
                              .time = sees_time(model.objective.kind) ? condition.time : Tensor()};
      conditioning = model.backbone->conditioning(seen, x.size(0));
    }
    return evaluate_field(*model.backbone, model.objective.kind, model.output_sign, x, conditioning,
                          Graph::discard)
        .gradient;
  };
}

FieldAndDivergence exact_divergence(const DifferentiableField& field, const Tensor& x,
                                    const Condition& condition) {
  const int64_t batch = x.size(0), size = x.numel() / std::max<int64_t>(1, batch);
  const Tensor units = torch::eye(size, x.options()).unsqueeze(1).expand({size, batch, size});
  const Probed probed = probe(field, x, condition, units);
  return {.value = probed.value, .divergence = probed.products.sum(0)};
}

FieldAndDivergence estimated_divergence(const DifferentiableField& field, const Tensor& x,
                                        const Condition& condition, const Tensor& probes) {
  if (probes.dim() < 2 || probes.size(0) < 1 || probes.size(1) != x.size(0)) {
    throw Error(ErrorKind::usage, "the probes do not fit the states whose divergence is wanted",
                "give one at least for each state, as [probes, states, ...]");
  }
  const Probed probed = probe(field, x, condition, probes);
  return {.value = probed.value, .divergence = probed.products.mean(0)};
}

}  // namespace eqm
