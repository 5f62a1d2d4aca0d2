// The loss and the gradient norm of a run as they are reported: means over the steps since the
// line of metrics before. The log, the progress line, the summary and a checkpoint all show these
// same numbers. A checkpoint keeps the window, so that a resumed run logs what an unbroken one
// would have.
#pragma once

#include <cstdint>
#include <string>

namespace eqm {

struct LossMeans {
  double loss = 0;
  double gradient_norm = 0;
  int64_t steps = 0;  // that these are the means of; 0: there are none yet
  int64_t last = 0;   // the latest of them

  // "5.33 (mean of steps 51 to 100)"
  std::string text() const;

  bool operator==(const LossMeans&) const = default;
};

struct LossSums {
  double loss = 0;
  double gradient_norm = 0;
  int64_t steps = 0;  // that were added
  int64_t last = 0;   // the latest of them

  LossMeans means() const;

  bool operator==(const LossSums&) const = default;
};

struct LossWindow {
  LossSums sums;     // over the steps since the last line
  LossMeans logged;  // of the last line

  void add(int64_t step, double loss, double gradient_norm);

  // Ends the window with a line of the log, and begins the next. There must have been a step.
  const LossMeans& close();

  // Those of the last line; before the first, those of the steps so far.
  LossMeans shown() const;
};

}  // namespace eqm
