#include "eqm/train/step.h"

#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "eqm/backbone/weights.h"
#include "eqm/base/error.h"
#include "eqm/kernel/update.h"
#include "eqm/tensor/autocast.h"

namespace eqm {
namespace {

bool finite(const Tensor& tensor) {
  return tensor.isfinite().all().item<bool>();
}

// The first tensor on the way from the data to `what` that is not finite.
std::string culprit(const TrainingState& state, const TrainingBatch& batch, const Tensor& output,
                    const std::string& what) {
  if (!finite(batch.x)) return "the data";
  const std::string unsound = unsound_weight_of(*state.model.backbone);
  if (!unsound.empty()) return fmt::format("the weight '{}'", unsound);
  if (!finite(output)) return "the predicted gradient";
  for (const auto& [name, weight] : weights_of(*state.model.backbone)) {
    if (weight.grad().defined() && !finite(weight.grad())) {
      return fmt::format("the gradient of '{}'", name);
    }
  }
  return what;
}

[[noreturn]] void refuse(const TrainingState& state, const TrainingBatch& batch,
                         const Tensor& output, const std::string& what) {
  throw Error(ErrorKind::numeric,
              fmt::format("{} is not finite at step {}", culprit(state, batch, output, what),
                          state.step + 1),
              "lower the learning rate ({lr}), warm it up ({warm-up} 1000) or clip gradients "
              "({clip} 1)");
}

// The norm of all gradients together.
double gradient_norm(const NamedTensors& weights) {
  std::vector<Tensor> gradients;
  for (const auto& entry : weights) {
    if (entry.second.grad().defined()) gradients.push_back(entry.second.grad());
  }
  return std::sqrt(kernel::square_sum(gradients));
}

void scale_gradients(const NamedTensors& weights, double factor) {
  for (const auto& entry : weights) {
    Tensor gradient = entry.second.grad();
    if (gradient.defined()) gradient.mul_(factor);
  }
}

}  // namespace

TrainingState::TrainingState(Model start, const AdamWOptions& options)
    : model(std::move(start)),
      ema(*model.backbone),
      optimiser(trainable_weights_of(*model.backbone), options) {}

Model TrainingState::averaged() const {
  Model result = model;
  result.backbone = ema.backbone();
  return result;
}

StepReport train_step(TrainingState& state, const TrainOptions& options,
                      std::span<const TrainingBatch> parts, const Runtime& runtime) {
  const WorkspaceScope memory(state.workspace, runtime.workspaces);
  Backbone& backbone = *state.model.backbone;
  const NamedTensors weights = trainable_weights_of(backbone);
  const double share = 1.0 / static_cast<double>(parts.size());
  StepReport report = {.lr = options.schedule.at(state.step, options.steps)};
  state.optimiser.zero_gradients();
  Tensor output;
  for (const TrainingBatch& part : parts) {
    Loss result;
    {
      const Autocast scope(runtime.autocast, part.x.device());
      result = loss(backbone, state.model.objective, state.model.output_sign, part);
    }
    output = result.prediction;
    const Tensor mean = result.per_sample.mean() * share;
    const double value = mean.item<double>();
    if (!std::isfinite(value)) refuse(state, part, output, "the loss");
    report.loss += value;
    mean.backward();
  }
  report.gradient_norm = gradient_norm(weights);
  if (!std::isfinite(report.gradient_norm)) {
    refuse(state, parts.back(), output, "the norm of all gradients");
  }
  if (options.clip > 0 && report.gradient_norm > options.clip) {
    scale_gradients(weights, options.clip / report.gradient_norm);
  }
  state.optimiser.step(report.lr, state.ema.pairs_with(backbone),
                       options.ema_warm_up ? warm_decay(options.ema, state.step) : options.ema);
  ++state.step;
  state.losses.add(state.step, report.loss, report.gradient_norm);
  return report;
}

}  // namespace eqm
