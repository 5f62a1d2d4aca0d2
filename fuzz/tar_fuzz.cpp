#include "eqm/io/tar_reader.h"
#include "fuzz/target.h"

namespace eqm::fuzz {
namespace {

void parse(std::span<const std::byte> bytes) {
  for (const TarEntry& entry : read_tar(bytes, "fuzzed")) touch(entry.bytes);
}

}  // namespace
}  // namespace eqm::fuzz

EQM_FUZZ_TARGET(eqm::fuzz::parse)
