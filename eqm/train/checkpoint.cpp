#include "eqm/train/checkpoint.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "eqm/backbone/weights.h"
#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/atomic_folder.h"
#include "eqm/io/crc32c.h"
#include "eqm/io/json_value.h"
#include "eqm/io/mapped_file.h"
#include "eqm/train/run_folder.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelFile = "model.safetensors";
constexpr const char* kWeightsFile = "weights.safetensors";
constexpr const char* kOptimiserFile = "optimiser.safetensors";
constexpr const char* kProgressFile = "progress.json";
constexpr const char* kRemoveHint = "remove this checkpoint to resume from the one before";

// Of LossSums or LossMeans.
nlohmann::json json_of(const auto& losses) {
  return {{"loss", losses.loss},
          {"gradient_norm", losses.gradient_norm},
          {"steps", losses.steps},
          {"last", losses.last}};
}

template <class Losses>
Losses from_json(const nlohmann::json& json) {
  return {.loss = json.at("loss").get<double>(),
          .gradient_norm = json.at("gradient_norm").get<double>(),
          .steps = json_value<int64_t>(json.at("steps")),
          .last = json_value<int64_t>(json.at("last"))};
}

LossWindow losses_in(const nlohmann::json& progress) {
  if (progress.contains("smooth_loss")) return {};  // of a version that kept no window
  const nlohmann::json& losses = progress.at("losses");
  return {.sums = from_json<LossSums>(losses.at("sums")),
          .logged = from_json<LossMeans>(losses.at("logged"))};
}

// How a value was then and is now; of two JSON objects, the entries that differ.
std::string difference(const std::string& then, const std::string& now) {
  const auto before = nlohmann::json::parse(then, nullptr, false);
  const auto after = nlohmann::json::parse(now, nullptr, false);
  if (!before.is_object() || !after.is_object()) return fmt::format("{} then, {} now", then, now);
  std::vector<std::string> entries;
  for (const auto& [key, value] : after.items()) {
    const auto found = before.find(key);
    if (found != before.end() && *found == value) continue;
    entries.push_back(fmt::format("{} {} then, {} now", key,
                                  found == before.end() ? "missing" : found->dump(), value.dump()));
  }
  return fmt::format("{}", fmt::join(entries, "; "));
}

// File names to check sums of their bytes.
std::map<std::string, uint32_t> check_sums(const fs::path& folder) {
  std::map<std::string, uint32_t> sums;
  for (const char* name : {kModelFile, kWeightsFile, kOptimiserFile}) {
    sums[name] = crc32c(MappedFile::open(folder / name).text());
  }
  return sums;
}

void verify(const fs::path& folder, const std::map<std::string, uint32_t>& expected) {
  for (const auto& [name, sum] : check_sums(folder)) {
    const auto found = expected.find(name);
    if (found != expected.end() && found->second == sum) continue;
    throw Error(ErrorKind::input, fmt::format("{} is damaged: its checksum is wrong", name),
                kRemoveHint);
  }
}

void compare(const RunIdentity& ours, const RunIdentity& theirs, const fs::path& path) {
  for (const auto& [name, value] : ours) {
    const auto found = theirs.find(name);
    if (found != theirs.end() && found->second == value) continue;
    const std::string then = found == theirs.end() ? "nothing" : found->second;
    throw Error(ErrorKind::input,
                fmt::format("'{}': the run was made with another {} ({})", path.string(), name,
                            difference(then, value)),
                "resume it with the same recipe and data, or start a new run with another {out}");
  }
}

// A state that is lost already must not push out the last good one.
void require_finite(const TrainingState& state) {
  for (const auto& [name, weight] : weights_of(*state.model.backbone)) {
    if (weight.isfinite().all().item<bool>()) continue;
    throw Error(ErrorKind::numeric,
                fmt::format("the weight '{}' is not finite after step {}", name, state.step),
                "lower the learning rate ({lr}) or clip gradients ({clip} 1), and resume");
  }
}

}  // namespace

std::vector<Checkpoint> find_checkpoints(const fs::path& folder) {
  std::vector<Checkpoint> found;
  std::error_code code;
  fs::directory_iterator entry(folder, code);
  if (code == std::errc::no_such_file_or_directory) return found;
  for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
    const auto step = step_named(entry->path().filename().string());
    std::error_code ignored;
    if (step && entry->is_directory(ignored))
      found.push_back({.path = entry->path(), .step = *step});
  }
  if (code) throw io_error(code, "read folder", folder.string());
  std::ranges::sort(found, {}, &Checkpoint::step);
  return found;
}

std::optional<CheckpointProgress> read_progress(const fs::path& checkpoint) {
  try {
    const MappedFile text = MappedFile::open(checkpoint / kProgressFile);
    const auto json = nlohmann::json::parse(text.text());
    return CheckpointProgress{.step = json_value<int64_t>(json.at("step")),
                              .loss = losses_in(json).shown()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

Checkpoint save_checkpoint(const fs::path& folder, const TrainingState& state,
                           const RunIdentity& identity) {
  const Checkpoint checkpoint = {.path = folder / step_name(state.step), .step = state.step};
  std::error_code ignored;  // then the writing below will tell
  if (fs::exists(checkpoint.path, ignored)) return checkpoint;
  require_finite(state);
  create_folder(folder);
  sync_folder(folder.has_parent_path() ? folder.parent_path() : fs::path("."));
  AtomicFolder whole(checkpoint.path);
  save_model(state.averaged(), whole.path() / kModelFile);
  save_tensors(whole.path() / kWeightsFile, weights_of(*state.model.backbone));
  save_tensors(whole.path() / kOptimiserFile, state.optimiser.memory());
  const LossWindow& losses = state.losses;
  const nlohmann::json progress = {
      {"step", state.step},
      {"output_sign", state.model.output_sign},
      {"losses", {{"sums", json_of(losses.sums)}, {"logged", json_of(losses.logged)}}},
      {"identity", identity},
      {"check_sums", check_sums(whole.path())}};
  write_file(whole.path() / kProgressFile, progress.dump(2) + "\n");
  whole.commit();
  return checkpoint;
}

namespace {

// All but the identity.
void restore_state(const Checkpoint& checkpoint, const nlohmann::json& progress,
                   TrainingState& state) {
  const fs::path& path = checkpoint.path;
  verify(path, json_value<std::map<std::string, uint32_t>>(progress.at("check_sums")));
  load_tensors(weights_of(*state.ema.backbone()), SafetensorsFile::open(path / kModelFile));
  load_tensors(weights_of(*state.model.backbone), SafetensorsFile::open(path / kWeightsFile));
  load_tensors(state.optimiser.memory(), SafetensorsFile::open(path / kOptimiserFile));
  const double sign = progress.at("output_sign").get<double>();
  if (json_value<int64_t>(progress.at("step")) != checkpoint.step || (sign != 1 && sign != -1)) {
    throw Error(ErrorKind::input, fmt::format("{} does not belong here", kProgressFile),
                kRemoveHint);
  }
  state.step = checkpoint.step;
  state.optimiser.set_steps(checkpoint.step);
  state.model.output_sign = sign;
  state.losses = losses_in(progress);
}

bool lacks_a_file(const fs::path& checkpoint) {
  for (const char* name : {kModelFile, kWeightsFile, kOptimiserFile, kProgressFile}) {
    std::error_code code;
    if (!fs::exists(checkpoint / name, code) && !code) return true;
  }
  return false;
}

// What is missing or wrong in `read` makes the checkpoint unreadable. Where the system refuses to
// read a file that is there (permissions, too many open files), nothing is known of the checkpoint.
template <class Read>
void reading(const fs::path& path, const Read& read) {
  try {
    read();
  } catch (const nlohmann::json::exception&) {
    throw UnreadableCheckpoint(
        ErrorKind::input,
        fmt::format("'{}' is not a readable checkpoint", (path / kProgressFile).string()),
        kRemoveHint);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input && !lacks_a_file(path)) throw;
    throw UnreadableCheckpoint(error.kind(), fmt::format("'{}': {}", path.string(), error.what()),
                               kRemoveHint);
  }
}

}  // namespace

void load_checkpoint(const Checkpoint& checkpoint, const RunIdentity& identity,
                     TrainingState& state) {
  nlohmann::json progress;
  RunIdentity theirs;
  reading(checkpoint.path, [&] {
    progress = nlohmann::json::parse(MappedFile::open(checkpoint.path / kProgressFile).text());
    theirs = progress.at("identity").get<RunIdentity>();
  });
  compare(identity, theirs, checkpoint.path);
  reading(checkpoint.path, [&] { restore_state(checkpoint, progress, state); });
}

fs::path set_aside(const Checkpoint& checkpoint) {
  const fs::path aside = checkpoint.path.string() + ".damaged";
  std::error_code code;
  if (fs::exists(aside, code)) remove_folder(aside);
  fs::rename(checkpoint.path, aside, code);
  if (code) throw io_error(code, "rename", checkpoint.path.string());
  return aside;
}

void prune_checkpoints(const fs::path& folder, int64_t keep_last, int64_t keep_every) {
  const std::vector<Checkpoint> all = find_checkpoints(folder);
  for (size_t i = 0; i < all.size(); ++i) {
    const bool recent = static_cast<int64_t>(all.size() - i) <= keep_last;
    const bool milestone = keep_every > 0 && all[i].step % keep_every == 0;
    if (!recent && !milestone) remove_folder(all[i].path);
  }
}

}  // namespace eqm
