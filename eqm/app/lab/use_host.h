// What a lab gives to the uses it runs: its own progress with the stage of the lab before it, and
// warnings only, each once.
#pragma once

#include <memory>
#include <string>

#include "eqm/app/host.h"

namespace eqm::app {

class UseHost final : public Host, private Progress {
 public:
  explicit UseHost(Host& lab);

  // "measurement 3 of 14", shown before what a use says of its progress.
  void set_stage(std::string stage) { stage_ = std::move(stage); }

  const std::shared_ptr<Logger>& log() override { return log_; }
  Progress& progress() override { return *this; }
  bool stop_requested() const override { return lab_.stop_requested(); }

 private:
  void begin(const std::string& what, int64_t total, const std::string& unit) override;
  void expect(int64_t total, TotalKind kind) override { lab_.progress().expect(total, kind); }
  void resume_at(int64_t done) override { lab_.progress().resume_at(done); }
  void update(int64_t done, const std::string& note) override {
    lab_.progress().update(done, note);
  }
  void end() override { lab_.progress().end(); }

  Host& lab_;
  std::shared_ptr<Logger> log_;
  std::string stage_;
};

}  // namespace eqm::app
