#include "eqm/train/resume.h"

#include <optional>
#include <vector>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

struct DamagedOne {
  Checkpoint checkpoint;
  std::string problem;
};

// Loads the latest checkpoint that can be read; returns the later ones.
std::vector<DamagedOne> load_latest(std::vector<Checkpoint> checkpoints,
                                    const RunIdentity& identity, TrainingState& state) {
  std::vector<DamagedOne> damaged;
  std::optional<Error> first;
  for (; !checkpoints.empty(); checkpoints.pop_back()) {
    try {
      load_checkpoint(checkpoints.back(), identity, state);
      return damaged;
    } catch (const UnreadableCheckpoint& error) {
      if (!first) first = error;
      damaged.push_back({checkpoints.back(), error.what()});
    }
  }
  throw Error(first->kind(), first->what(),
              "no earlier checkpoint can be read either: start a new run with another {out}");
}

}  // namespace

std::vector<Checkpoint> restore(TrainingState& state, const RunPaths& paths,
                                const RunIdentity& identity, int64_t steps, Logger& log) {
  const std::vector<Checkpoint> checkpoints = find_checkpoints(paths.checkpoints());
  if (checkpoints.empty()) {
    log.info("no checkpoint yet: the run starts from the beginning");
    return {};
  }
  const std::vector<DamagedOne> damaged = load_latest(checkpoints, identity, state);
  if (state.step > steps) {
    throw Error(ErrorKind::usage,
                fmt::format("the run has taken {} steps already, more than {}", state.step, steps),
                "raise {steps} or {epochs}");
  }
  std::vector<Checkpoint> later;
  for (const auto& [checkpoint, problem] : damaged) {
    log.warn("{}; resuming from {} instead", problem, step_name(state.step));
    later.push_back(checkpoint);
  }
  log.info("resuming from step {}", state.step);
  return later;
}

void remove_later_pictures(const RunPaths& paths, const std::string& name, int64_t step) {
  std::error_code code;
  std::vector<fs::path> later;
  for (fs::directory_iterator entry(paths.pictures(name), code), end; !code && entry != end;
       entry.increment(code)) {
    const auto drawn = step_named(entry->path().stem().string());
    if (drawn && *drawn > step && entry->path() == paths.picture(name, *drawn)) {
      later.push_back(entry->path());
    }
  }
  for (const auto& picture : later) fs::remove(picture, code);
}

}  // namespace eqm
