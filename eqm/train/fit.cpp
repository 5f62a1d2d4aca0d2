#include "eqm/train/fit.h"

#include <cmath>

#include <fmt/format.h>

#include "eqm/backbone/weights.h"
#include "eqm/base/error.h"
#include "eqm/train/adamw.h"
#include "eqm/train/ema.h"
#include "eqm/train/schedule.h"

namespace eqm {

void fit(Model& model, const std::function<TrainingBatch(int64_t step)>& batch_at,
         const FitOptions& options, Progress& progress) {
  AdamW optimiser(trainable_weights_of(*model.backbone), {});
  const Schedule schedule = {.lr = options.lr, .kind = ScheduleKind::cosine};
  Ema ema(*model.backbone);
  double shown = std::nan("");
  for (int64_t step = 0; step < options.steps; ++step) {
    const Tensor mean =
        loss(*model.backbone, model.objective, model.output_sign, batch_at(step)).per_sample.mean();
    const double value = mean.item<double>();
    if (!std::isfinite(value)) {
      throw Error(ErrorKind::numeric,
                  fmt::format("the loss is not finite any more at step {}", step),
                  "lower the learning rate (lr) or the gradient magnitude (lambda)");
    }
    optimiser.zero_gradients();
    mean.backward();
    optimiser.step(schedule.at(step, options.steps), ema.pairs_with(*model.backbone),
                   warm_decay(options.ema, step));
    shown = std::isnan(shown) ? value : 0.98 * shown + 0.02 * value;
    progress.update(step + 1, fmt::format("loss {:.4g}", shown));
  }
  copy_weights(*ema.backbone(), *model.backbone);
}

}  // namespace eqm
