// MATLAB files of level 5 (versions 5 to 7.2), as far as data sets need them: little-endian numeric
// arrays, plain or deflated. Files are hostile until checked: every length is compared with what is
// there, and nothing is unpacked further than its header announces. Refers to the bytes; immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eqm/io/mapped_file.h"
#include "eqm/io/tensor_view.h"

namespace eqm {

// A variable, by its header.
struct MatVariable {
  std::string name;
  std::vector<int64_t> shape;  // column-major: the first dimension moves fastest
  // How elements are stored, which may be narrower than their class in MATLAB. Nothing for what is
  // no array of real numbers: cells, structures, text, sparse and complex arrays.
  std::optional<Dtype> dtype = {};
  uint64_t bytes = 0;  // of the elements

  std::span<const std::byte> element = {};  // of the file: what holds it, without its tag
  bool deflated = false;
  uint64_t offset = 0;  // of the elements in the unpacked element
};

class MatFile {
 public:
  // Kind io when the file cannot be read, kind input when it is damaged or of another kind.
  static MatFile open(const std::filesystem::path& path);

  // The same from memory, which must outlive it; `source` is named in errors.
  static MatFile parse(std::span<const std::byte> bytes, std::string source);

  const std::vector<MatVariable>& variables() const { return variables_; }

  // Null when there is none of this name.
  const MatVariable* find(std::string_view name) const;

  // All elements, unpacked. Kind input when they are no numbers, take more than `most` bytes or are
  // damaged.
  std::vector<std::byte> read(const MatVariable& variable, uint64_t most) const;

 private:
  std::string source_;
  std::shared_ptr<const MappedFile> mapping_;
  std::vector<MatVariable> variables_;
};

}  // namespace eqm
