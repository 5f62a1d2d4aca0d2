// The terminal as a host of uses: a progress line and log on stderr, Ctrl-C as the request to stop.
#pragma once

#include "eqm/app/host.h"

namespace eqm::cli {

class TerminalHost final : public app::Host {
 public:
  TerminalHost(Verbosity verbosity, ProgressStyle style);

  const std::shared_ptr<Logger>& log() override { return log_; }
  Progress& progress() override { return progress_; }
  // From here on Ctrl-C, SIGTERM and a lost terminal are requests.
  void begin_stoppable_work() override;
  bool stop_requested() const override;

 private:
  std::shared_ptr<Logger> log_;
  ProgressBar progress_;
};

}  // namespace eqm::cli
