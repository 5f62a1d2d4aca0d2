#include "eqm/io/mat.h"
#include "fuzz/target.h"

namespace eqm::fuzz {
namespace {

void parse(std::span<const std::byte> bytes) {
  const MatFile file = MatFile::parse(bytes, "fuzzed");
  for (const MatVariable& variable : file.variables()) {
    if (variable.dtype) touch(file.read(variable, 1 << 24));
  }
}

}  // namespace
}  // namespace eqm::fuzz

EQM_FUZZ_TARGET(eqm::fuzz::parse)
