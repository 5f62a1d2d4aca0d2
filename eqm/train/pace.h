// How fast a run trains: rates since the last line of metrics, of training alone, and since its
// start. Also notices when other programs take the processors.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "eqm/base/log.h"
#include "eqm/base/processor_use.h"
#include "eqm/train/metrics.h"
#include "eqm/train/starvation.h"

namespace eqm {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  // `processor_use` is asked at the start and at every line.
  Pace(int64_t batch, std::function<std::optional<ProcessorUse>()> processor_use,
       std::shared_ptr<Logger> log);

  // The first window begins.
  void start();
  void add_step() { ++window_.steps; }

  struct Line {
    double images_per_second = 0;
    double data_share = 0;  // of the time, spent waiting for data
    std::optional<double> processor_wait;
  };
  // Ends the window, and begins the next. `waited` is the time spent waiting for data so far, in
  // seconds.
  Line close(double waited);

  // Does something that is not training: its time does not count for the window.
  void beside(const std::function<void()>& work);

  double seconds() const;  // since it was made

 private:
  struct Window {
    Clock::time_point start = Clock::now();
    double waited = 0;                     // the total at the start
    int64_t steps = 0;                     // of this process
    std::optional<ProcessorUse> use = {};  // at the start
  };

  int64_t batch_;
  std::function<std::optional<ProcessorUse>()> processor_use_;
  std::shared_ptr<Logger> log_;
  Clock::time_point made_ = Clock::now();
  Window window_;
  StarvationWatch starvation_;
};

}  // namespace eqm
