// A host for tests of uses: keeps what is logged, counts updates of progress, and asks for a stop
// after so many of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <spdlog/sinks/ostream_sink.h>

#include "eqm/app/host.h"

namespace eqm::test {

class RecordingHost final : public app::Host, private Progress {
 public:
  static constexpr int64_t kNever = -1;

  explicit RecordingHost(int64_t stop_after = kNever) : stop_after_(stop_after) {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
    sink->set_pattern("%l: %v");
    log_ = std::make_shared<Logger>("recording", sink);
  }

  const std::shared_ptr<Logger>& log() override { return log_; }
  Progress& progress() override { return *this; }
  void begin_stoppable_work() override { stoppable_ = true; }
  bool stop_requested() const override {
    return stop_after_ != kNever && stoppable_ && updates_ >= stop_after_;
  }

  void wrote(const std::filesystem::path& file) override { written_.push_back(file.string()); }

  const std::vector<std::string>& written() const { return written_; }
  // A line for each message, as "info: wrote model.safetensors".
  std::string logged() const { return text_.str(); }
  int64_t updates() const { return updates_; }
  bool stoppable() const { return stoppable_; }

 private:
  void begin(const std::string&, int64_t, const std::string&) override {}
  void update(int64_t, const std::string&) override { ++updates_; }
  void end() override {}

  int64_t stop_after_;
  int64_t updates_ = 0;
  bool stoppable_ = false;
  std::vector<std::string> written_;
  std::ostringstream text_;
  std::shared_ptr<Logger> log_;
};

}  // namespace eqm::test
