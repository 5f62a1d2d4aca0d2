#include "eqm/landscape/objective.h"

#include <cmath>
#include <optional>

#include "eqm/base/error.h"
#include "eqm/kernel/dispatch.h"
#include "eqm/landscape/corruption.h"
#include "eqm/tensor/autocast.h"

namespace eqm {

Magnitude Objective::effective_magnitude() const {
  if (is_flow(kind)) return {.kind = MagnitudeKind::constant, .lambda = 1.0};
  return magnitude;
}

FieldValue evaluate_field(const Backbone& backbone, ObjectiveKind kind, double output_sign,
                          const Tensor& x, const Conditioning& conditioning, Graph graph) {
  const ObjectiveRow& row = row_of(kind);
  if (row.energy == nullptr) {
    const Prediction prediction = backbone.forward_with(x, conditioning);
    return {
        .gradient = prediction.output * output_sign, .energy = {}, .features = prediction.features};
  }
  // A thread that asked for the plain kernels keeps them.
  std::optional<kernel::PathScope> products;
  if (graph == Graph::keep && kernel::path() == kernel::Path::fused) {
    products.emplace(kernel::Path::products);
  }
  Tensor features;
  const auto energy = [&](const Tensor& point) {
    const Prediction prediction = backbone.forward_with(point, conditioning);
    features = prediction.features;
    return row.energy(point.flatten(1), (prediction.output * output_sign).flatten(1));
  };
  const ValueAndGradient result = value_and_gradient(energy, x, graph);
  return {.gradient = result.gradient, .energy = result.value, .features = features};
}

Loss loss(const Backbone& backbone, const Objective& objective, double output_sign,
          const TrainingBatch& batch) {
  if (is_classifier(objective.kind)) {
    const Tensor logits = backbone.forward(batch.x, {}).output;
    const Tensor right = logits.log_softmax(1).gather(1, batch.labels.unsqueeze(1)).squeeze(1);
    return {.per_sample = -right, .prediction = logits, .dispersive = {}};
  }
  const Tensor state = corrupt(batch.x, batch.noise, batch.gamma);
  const Tensor target =
      target_gradient(batch.x, batch.noise, batch.gamma, objective.effective_magnitude());
  const Condition condition = {.labels = batch.labels,
                               .time = sees_time(objective.kind) ? batch.gamma : Tensor(),
                               .dropout = batch.dropout};
  const FieldValue value =
      evaluate_field(backbone, objective.kind, output_sign, state,
                     backbone.conditioning(condition, state.size(0)), Graph::keep);
  Loss result = {.per_sample = (value.gradient - target).square().flatten(1).mean(1),
                 .prediction = value.gradient,
                 .dispersive = {}};
  if (objective.dispersive_weight > 0) {
    result.dispersive = dispersive_loss(value.features);
    result.per_sample = result.per_sample + objective.dispersive_weight * result.dispersive;
  }
  return result;
}

Tensor dispersive_loss(const Tensor& features) {
  // Squared distances from a Gram matrix, so that nothing larger than the features is held. They do
  // not change when the mean is subtracted first, which keeps the differences accurate. The squared
  // norms are the product's own diagonal: then the distance of a sample to itself is exactly 0,
  // however the product is summed. Others that round below 0 are 0.
  const FullPrecision exact;
  Tensor z = features.flatten(1);
  if (z.scalar_type() == torch::kBFloat16) z = z.to(torch::kFloat32);
  z = z - z.mean(0, /*keepdim=*/true);
  const Tensor products = torch::matmul(z, z.t());  // [B, B]
  const Tensor squares = products.diagonal();
  const Tensor distance =
      ((squares.unsqueeze(0) + squares.unsqueeze(1) - 2 * products) / z.size(1)).clamp_min(0);
  return torch::logsumexp((-distance).flatten(), 0) -
         std::log(static_cast<double>(distance.numel()));
}

Tensor drop_labels(const Tensor& labels, const Tensor& drop_uniform, double probability,
                   int64_t null_label) {
  return torch::where(drop_uniform < probability, torch::full_like(labels, null_label), labels);
}

}  // namespace eqm
