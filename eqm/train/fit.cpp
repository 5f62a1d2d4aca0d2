#include "eqm/train/fit.h"

#include <cmath>

#include <fmt/format.h>

#include "eqm/backbone/weights.h"
#include "eqm/base/error.h"
#include "eqm/train/loop.h"

namespace eqm {
namespace {

TrainOptions training_options(const FitOptions& options) {
  TrainOptions training;
  training.steps = options.steps;
  training.schedule = {.lr = options.lr, .kind = ScheduleKind::cosine};
  training.ema = options.ema;
  training.ema_warm_up = true;
  return training;
}

}  // namespace

void fit(Model& model, const std::function<TrainingBatch(int64_t step)>& batch_at,
         const FitOptions& options, Progress& progress, const Runtime& runtime) {
  TrainingState state(model, {});
  double shown = std::nan("");
  const Loop loop = {
      .batch_at = [&](int64_t step) { return std::vector<TrainingBatch>{batch_at(step)}; },
      .after_step =
          [&](const StepReport& report) {
            shown = std::isnan(shown) ? report.loss : 0.98 * shown + 0.02 * report.loss;
            progress.update(state.step, fmt::format("loss {:.4g}", shown));
          },
      .runtime = runtime};
  try {
    run_loop(state, training_options(options), Decisions(options.steps), loop);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numeric) throw;
    throw Error(error.kind(), error.what(),
                "lower the learning rate ({lr}) or the gradient magnitude ({lambda})");
  }
  copy_weights(*state.ema.backbone(), *model.backbone);
}

}  // namespace eqm
