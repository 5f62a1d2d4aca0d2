// Samples as the ADM evaluator reads them: an .npz with arr_0, bytes [samples, height, width, 3],
// and, of labelled samples, arr_1 with their labels. Pictures stream to the disk; eight bytes of
// each label stay in memory. Atomic (see AtomicFile): without commit() nothing appears.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "eqm/io/image.h"
#include "eqm/io/npz.h"

namespace eqm {

class SampleNpz {
 public:
  SampleNpz(const std::filesystem::path& path, ZipMethod method) : writer_(path, method) {}

  // Grey pictures become colour, which is what the evaluator wants. All have one size, and all or
  // none a label: anything else is a usage error.
  void add(const Image& image, std::optional<int64_t> label);

  int64_t count() const { return count_; }

  // A usage error when there are no samples.
  void commit();

 private:
  NpzWriter writer_;
  int64_t count_ = 0;
  int width_ = 0, height_ = 0;
  std::vector<int64_t> labels_;
};

}  // namespace eqm
