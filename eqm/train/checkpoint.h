// Checkpoints of a run: folders checkpoints/step-NNNNNNN with
//   model.safetensors      the averaged weights, as a model file that samples
//   weights.safetensors    the weights being trained
//   optimiser.safetensors  the optimiser's memory
//   progress.json          step, losses, what the run is made of, check sums of the files
// They appear whole or not at all.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eqm/base/error.h"
#include "eqm/train/step.h"

namespace eqm {

// What must not change between a checkpoint and the run that resumes from it, by name:
// architecture, objective, data and the like.
using RunIdentity = std::map<std::string, std::string>;

struct Checkpoint {
  std::filesystem::path path;
  int64_t step = 0;
};

// All whole checkpoints in a folder, by step; none when the folder does not exist.
std::vector<Checkpoint> find_checkpoints(const std::filesystem::path& folder);

// What a checkpoint says of itself; nothing when the folder is none or damaged.
struct CheckpointProgress {
  int64_t step = 0;
  LossMeans loss;  // as the run showed it
};
std::optional<CheckpointProgress> read_progress(const std::filesystem::path& checkpoint);

// Writes step-NNNNNNN into the folder; does nothing when it is there already.
Checkpoint save_checkpoint(const std::filesystem::path& folder, const TrainingState& state,
                           const RunIdentity& identity);

// A checkpoint of which something is missing or damaged: one before it may do.
class UnreadableCheckpoint : public Error {
 public:
  using Error::Error;
};

// Restores everything, bit for bit. Another identity is an input error that names what differs; a
// missing or damaged file is an UnreadableCheckpoint; where the system refuses to read, kind io. On
// any error the state is not to be used, unless another checkpoint is loaded into it.
void load_checkpoint(const Checkpoint& checkpoint, const RunIdentity& identity,
                     TrainingState& state);

// Renames a checkpoint to step-NNNNNNN.damaged, which no run takes for one; returns the new name.
// One of that name from before is removed.
std::filesystem::path set_aside(const Checkpoint& checkpoint);

// Removes all but the last `keep_last` and, where keep_every > 0, those of steps that divide by it.
void prune_checkpoints(const std::filesystem::path& folder, int64_t keep_last, int64_t keep_every);

}  // namespace eqm
