#include "eqm/io/safetensors.h"
#include "fuzz/target.h"

namespace eqm::fuzz {
namespace {

void parse(std::span<const std::byte> bytes) {
  const SafetensorsFile file = SafetensorsFile::parse(bytes, "fuzzed");
  for (const std::string& name : file.names()) touch(file.at(name).bytes);
}

}  // namespace
}  // namespace eqm::fuzz

EQM_FUZZ_TARGET(eqm::fuzz::parse)
