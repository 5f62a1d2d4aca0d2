#include "eqm/train/loss_window.h"

#include <fmt/format.h>

namespace eqm {

std::string LossMeans::text() const {
  if (steps == 0) return "none yet";
  if (steps == 1) return fmt::format("{:.4g} (step {})", loss, last);
  return fmt::format("{:.4g} (mean of steps {} to {})", loss, last - steps + 1, last);
}

LossMeans LossSums::means() const {
  if (steps == 0) return {};
  const auto count = static_cast<double>(steps);
  return {
      .loss = loss / count, .gradient_norm = gradient_norm / count, .steps = steps, .last = last};
}

void LossWindow::add(int64_t step, double loss, double gradient_norm) {
  sums.loss += loss;
  sums.gradient_norm += gradient_norm;
  ++sums.steps;
  sums.last = step;
}

const LossMeans& LossWindow::close() {
  logged = sums.means();
  sums = {};
  return logged;
}

LossMeans LossWindow::shown() const {
  return logged.steps > 0 ? logged : sums.means();
}

}  // namespace eqm
