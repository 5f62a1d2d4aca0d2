// Examples of one type and shape that lie in memory at a fixed distance from each other: what IDX,
// CIFAR and tensor files hold. Nothing is copied until an example is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eqm/data/source.h"

namespace eqm {

struct PackedExamples {
  std::string file;  // for messages
  Dtype dtype = Dtype::u8;
  std::vector<int64_t> shape;  // of one example
  int64_t posteriors = 0;      // as an Example has them
  int64_t count = 0;
  std::span<const std::byte> bytes;   // `count` records side by side
  size_t offset = 0;                  // where in its record an example starts
  std::vector<int64_t> labels;        // empty, or one per example
  std::vector<std::string> classes;   // empty, or one name per label
  std::shared_ptr<const void> owner;  // keeps the bytes alive
  // Of the whole file, where one is on record: the fingerprint takes it, and no example is read.
  std::optional<uint64_t> checksum = {};
};

// Kind internal when the numbers do not fit each other, kind input when there are no examples or a
// label has no class.
SourcePtr packed_source(PackedExamples examples);

// "0", "1", ... up to the largest label; empty without labels.
std::vector<std::string> numbered_classes(std::span<const int64_t> labels);

}  // namespace eqm
