// The folder of a training run:
//   config.toml          the resolved options
//   metrics.jsonl        one line per logged step
//   events.out.tfevents  the same for TensorBoard
//   samples/             grids of samples from fixed noise
//   checkpoints/         see checkpoint.h
//   model.safetensors    the averaged weights when training ended or was stopped
// While a run writes, it holds a FolderLock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace eqm {

// Names of what a run folder holds; no promise that any of it exists.
struct RunPaths {
  std::filesystem::path folder;

  std::filesystem::path config() const { return folder / "config.toml"; }
  std::filesystem::path metrics() const { return folder / "metrics.jsonl"; }
  std::filesystem::path samples() const { return pictures("samples"); }
  // Of the measurement of that name (measurement.h).
  std::filesystem::path pictures(const std::string& name) const { return folder / name; }
  std::filesystem::path picture(const std::string& name, int64_t step) const;
  std::filesystem::path checkpoints() const { return folder / "checkpoints"; }
  std::filesystem::path model() const { return folder / "model.safetensors"; }
};

// "step-0000040", as checkpoints and pictures of a step are called, and back; nothing for other
// names.
std::string step_name(int64_t step);
std::optional<int64_t> step_named(const std::string& name);

// A model file from what a user points at: the file itself, a checkpoint, or a run, of which the
// latest checkpoint with a model is taken. Throws an input error when there is none.
std::filesystem::path find_model(const std::filesystem::path& path);

}  // namespace eqm
