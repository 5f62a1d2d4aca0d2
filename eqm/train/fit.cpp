#include "eqm/train/fit.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <torch/torch.h>

#include "eqm/base/error.h"
#include "eqm/train/ema.h"

namespace eqm {
namespace {

double cosine(double from, double share) {
  const double least = 0.01 * from;
  return least + 0.5 * (from - least) * (1 + std::cos(std::numbers::pi * share));
}

}  // namespace

void fit(Model& model, const std::function<TrainingBatch(int64_t step)>& batch_at,
         const FitOptions& options, Progress& progress) {
  std::vector<Tensor> trainable;
  for (const Tensor& parameter : model.backbone->parameters()) {
    if (parameter.requires_grad()) trainable.push_back(parameter);
  }
  torch::optim::AdamW optimiser(trainable, torch::optim::AdamWOptions(options.lr).weight_decay(0));
  auto& settings =
      static_cast<torch::optim::AdamWOptions&>(optimiser.param_groups().front().options());
  Ema ema(*model.backbone, options.ema);
  double shown = std::nan("");
  for (int64_t step = 0; step < options.steps; ++step) {
    settings.lr(cosine(options.lr, static_cast<double>(step) / static_cast<double>(options.steps)));
    const Tensor mean =
        loss(*model.backbone, model.objective, model.output_sign, batch_at(step)).per_sample.mean();
    const double value = mean.item<double>();
    if (!std::isfinite(value)) {
      throw Error(ErrorKind::numeric,
                  fmt::format("the loss is not finite any more at step {}", step),
                  "lower the learning rate (lr) or the gradient magnitude (lambda)");
    }
    optimiser.zero_grad();
    mean.backward();
    optimiser.step();
    const double warm = static_cast<double>(step + 1) / static_cast<double>(step + 10);
    ema.update(*model.backbone, std::min(options.ema, warm));
    shown = std::isnan(shown) ? value : 0.98 * shown + 0.02 * value;
    progress.update(step + 1, fmt::format("loss {:.4g}", shown));
  }
  ema.copy_to(*model.backbone);
}

}  // namespace eqm
