// What a door (the terminal, a server, Python, a test) gives to a use: where messages, progress and
// news of results go, and whether the work should stop. A use knows nothing else of who called it.
//
// A host outlives the uses it is given to. Uses call it from their own thread only, but for
// stop_requested(), which may be asked from any.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "eqm/base/log.h"
#include "eqm/base/progress.h"

namespace eqm::app {

class Host {
 public:
  virtual ~Host() = default;

  virtual const std::shared_ptr<Logger>& log() = 0;
  virtual Progress& progress() = 0;

  // The use calls it once, before work that asks stop_requested(): until then a door may end it in
  // its own way.
  virtual void begin_stoppable_work() {}
  // Asked often. After true a use ends soon, keeps what is done and says so in its result.
  virtual bool stop_requested() const { return false; }

  // A file with results is there, whole.
  virtual void wrote(const std::filesystem::path& /*file*/) {}
};

// Says that these files of a folder are written, to the log and one by one to the host.
void announce(Host& host, const std::filesystem::path& folder,
              const std::vector<std::string>& names);

// Says nothing and never asks for a stop.
class QuietHost final : public Host {
 public:
  const std::shared_ptr<Logger>& log() override { return log_; }
  Progress& progress() override { return progress_; }

 private:
  std::shared_ptr<Logger> log_ = silent_logger();
  NoProgress progress_;
};

}  // namespace eqm::app
