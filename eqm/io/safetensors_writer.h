// Writes safetensors files. The bytes depend on the content only: tensors are ordered as the
// reference library orders them (widest element type first, then by name, which keeps each
// aligned), metadata by key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "eqm/io/atomic_file.h"
#include "eqm/io/tensor_view.h"

namespace eqm {

struct NamedTensor {
  std::string name;
  TensorView tensor;  // its bytes must stay alive during the call
};

struct TensorSpec {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<int64_t> shape;
};

// Writes one tensor after the other, so that they need not be in memory together. Atomic (see
// AtomicFile): without commit() nothing appears.
class SafetensorsWriter {
 public:
  // Kind usage, before anything is written, for a name that comes twice, is "__metadata__" or not
  // UTF-8, and for impossible shapes.
  SafetensorsWriter(const std::filesystem::path& path, std::vector<TensorSpec> tensors,
                    const std::map<std::string, std::string>& metadata);

  // In the order in which their bytes are to be written.
  const std::vector<TensorSpec>& tensors() const { return tensors_; }

  // All bytes of the next tensor, in as many pieces as suit the caller. More than its shape has are
  // a usage error.
  void write(std::span<const std::byte> bytes);

  // A usage error when tensors are missing.
  void commit();

 private:
  void skip_finished();

  std::vector<TensorSpec> tensors_;
  AtomicFile file_;
  size_t next_ = 0;
  uint64_t left_ = 0;  // bytes of the next tensor that are still to come
};

// All at once. Atomic (see AtomicFile); the order of `tensors` does not matter. Kind usage, before
// anything is written, for a name that comes twice, is "__metadata__" or not UTF-8, and for bytes
// that disagree with the shape.
void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace eqm
