// The weights in a file of somebody else's, by name: a checkpoint of torch.save (a training
// checkpoint with "model" and "ema", or a state dictionary alone) or safetensors. Views into the
// mapped file. Immutable after opening, hence safe to share between threads.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eqm/io/mapped_file.h"
#include "eqm/io/strided_view.h"
#include "eqm/io/torch_file.h"
#include "eqm/io/weights_choice.h"

namespace eqm {

struct NamedWeights {
  std::string name;
  StridedView view;
  std::string storage = {};  // what check() checks; empty where there is nothing to check
};

class WeightsFile {
 public:
  // Kind io when the file cannot be read; kind input when it is damaged, of another format, or has
  // not what is asked for.
  static WeightsFile open(const std::filesystem::path& path, WeightsChoice choice);
  // The same from memory that outlives the result; `source` is named in errors.
  static WeightsFile parse(std::span<const std::byte> bytes, const std::string& source,
                           WeightsChoice choice);

  const std::vector<NamedWeights>& tensors() const { return tensors_; }

  // What the choice came to: "ema", "model", ...; empty for a state dictionary alone.
  const std::string& chosen() const { return chosen_; }

  // The training's arguments that are numbers, truth values or strings, as text; "None" for None.
  const std::map<std::string, std::string>& arguments() const { return arguments_; }

  // What safetensors say beside the tensors; of a PyTorch file, attributes of its dictionary.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  // Compares the checksum of the bytes behind a tensor, where the file has one.
  void check(const NamedWeights& weights) const;
  // Gives back the memory of a tensor that was read.
  void release(const NamedWeights& weights) const;

  // Keeps the bytes alive; null after parse().
  const std::shared_ptr<const MappedFile>& mapping() const { return mapping_; }

 private:
  WeightsFile() = default;
  void read_torch(std::span<const std::byte> bytes, const std::string& source,
                  WeightsChoice choice);
  void read_safetensors(std::span<const std::byte> bytes, const std::string& source,
                        WeightsChoice choice);
  void strip_wrappers();

  std::shared_ptr<const MappedFile> mapping_;
  std::shared_ptr<const TorchFile> torch_;
  std::vector<NamedWeights> tensors_;
  std::string chosen_;
  std::map<std::string, std::string> arguments_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace eqm
