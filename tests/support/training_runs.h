// Runs of training for tests: stopped or killed where a test wants it, and compared.
#pragma once

#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include "eqm/train/checkpoint.h"
#include "eqm/train/run.h"
#include "tests/support/content_of.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {

using Steps = std::vector<int64_t>;
// Asked with the number of steps that this process has taken.
using Stop = std::function<bool(int64_t taken)>;

inline bool never(int64_t) {
  return false;
}

inline Stop after(int64_t steps) {
  return [steps](int64_t taken) { return taken >= steps; };
}

// What a kill does, as far as the folder can tell: nothing is written any more.
struct Killed : std::runtime_error {
  Killed() : std::runtime_error("killed") {}
};

inline Stop killed_after(int64_t steps) {
  return [steps](int64_t taken) { return taken >= steps ? throw Killed() : false; };
}

class Recorder final : public Progress {
 public:
  void begin(const std::string&, int64_t total, const std::string& unit) override {
    said.push_back("begin " + std::to_string(total) + " " + unit);
  }
  void resume_at(int64_t done) override { said.push_back("resume " + std::to_string(done)); }
  void update(int64_t done, const std::string& note) override {
    said.push_back("update " + std::to_string(done));
    EXPECT_TRUE(note.starts_with("loss ")) << note;
    last_note = note;
    ++updates;
  }
  void end() override { said.push_back("end"); }

  std::vector<std::string> said;
  std::string last_note;
  int64_t updates = 0;
};

inline Steps steps_in(const RunPaths& paths) {
  Steps steps;
  for (const Checkpoint& checkpoint : find_checkpoints(paths.checkpoints())) {
    steps.push_back(checkpoint.step);
  }
  return steps;
}

// Everything a checkpoint holds but for what people read.
inline ::testing::AssertionResult same_end(const RunPaths& actual, const RunPaths& expected) {
  const std::filesystem::path mine = find_checkpoints(actual.checkpoints()).back().path;
  const std::filesystem::path other = find_checkpoints(expected.checkpoints()).back().path;
  if (mine.filename() != other.filename()) {
    return ::testing::AssertionFailure() << mine.filename() << " is not " << other.filename();
  }
  for (const char* file : {"weights.safetensors", "optimiser.safetensors", "model.safetensors"}) {
    if (content_of(mine / file) != content_of(other / file)) {
      return ::testing::AssertionFailure() << file << " differs";
    }
  }
  if (content_of(actual.model()) != content_of(expected.model())) {
    return ::testing::AssertionFailure() << "the final model differs";
  }
  return ::testing::AssertionSuccess();
}

class RunTraining : public ::testing::Test {
 protected:
  RunPaths paths(const std::string& name = "run") const { return {.folder = folder_ / name}; }

  RunSummary run(const TrainOptions& options, const RunPaths& where, RunStart start,
                 const Stop& stop = never, const Runtime& runtime = {}) {
    progress_ = {};
    said_.str("");
    const auto config = [](const TrainOptions& resolved) {
      return fmt::format("steps = {}\n", resolved.steps);
    };
    return run_training(options, config, where, start,
                        {.log = log_,
                         .progress = progress_,
                         .stop_requested = [&] { return stop(progress_.updates); },
                         .runtime = runtime,
                         .measurements = measurements_,
                         .processor_use = use_});
  }

  Recorder progress_;        // of the last run
  std::ostringstream said_;  // to the logger, by the last run
  std::shared_ptr<Logger> log_ =
      std::make_shared<Logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(said_));
  std::vector<Measurement> measurements_;  // beside those of the options
  std::function<std::optional<ProcessorUse>()> use_ = processor_use;
  TemporaryFolder folder_;
  TrainOptions options_ = tiny_options(write_set(folder_ / "set.safetensors", {}));
};

}  // namespace eqm::test
