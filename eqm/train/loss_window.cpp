#include "eqm/train/loss_window.h"

#include <fmt/format.h>

namespace eqm {
namespace {

LossMeans means_of(LossMeans sums) {
  if (sums.steps == 0) return sums;
  sums.loss /= static_cast<double>(sums.steps);
  sums.gradient_norm /= static_cast<double>(sums.steps);
  return sums;
}

}  // namespace

std::string LossMeans::text() const {
  if (steps == 0) return "none yet";
  if (steps == 1) return fmt::format("{:.4g} (step {})", loss, last);
  return fmt::format("{:.4g} (mean of steps {} to {})", loss, last - steps + 1, last);
}

void LossWindow::add(int64_t step, double loss, double gradient_norm) {
  sums.loss += loss;
  sums.gradient_norm += gradient_norm;
  ++sums.steps;
  sums.last = step;
}

const LossMeans& LossWindow::close() {
  logged = means_of(sums);
  sums = {};
  return logged;
}

LossMeans LossWindow::shown() const {
  return logged.steps > 0 ? logged : means_of(sums);
}

}  // namespace eqm
