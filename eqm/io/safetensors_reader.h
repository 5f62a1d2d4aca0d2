// Reads a safetensors file without copying: tensors are views into the mapping. The file is
// untrusted: every rule of the format is checked when it is opened, so a view never reaches outside
// the file and no two overlap. Immutable after opening, hence safe to share between threads.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "eqm/io/mapped_file.h"
#include "eqm/io/tensor_view.h"

namespace eqm {

class SafetensorsFile {
 public:
  // Throws kind io when the file cannot be read, kind input when it breaks a rule.
  static SafetensorsFile open(const std::filesystem::path& path);

  // The same from memory that outlives the result; `source` is named in errors.
  static SafetensorsFile parse(std::span<const std::byte> bytes, std::string source);

  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  // In the order of their bytes in the file.
  const std::vector<std::string>& names() const { return names_; }

  bool contains(const std::string& name) const { return tensors_.contains(name); }

  // Throws kind input when there is no such tensor. The bytes live as long as this object or
  // mapping(), and start wherever the file puts them: alignment is not guaranteed.
  const TensorView& at(const std::string& name) const;

  // Keeps the bytes alive for tensors made from views; null after parse().
  const std::shared_ptr<const MappedFile>& mapping() const { return mapping_; }

 private:
  SafetensorsFile() = default;

  std::string source_;
  std::shared_ptr<const MappedFile> mapping_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, TensorView> tensors_;
  std::vector<std::string> names_;
};

}  // namespace eqm
