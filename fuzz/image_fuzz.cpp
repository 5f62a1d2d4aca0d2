#include "eqm/io/image.h"
#include "fuzz/target.h"

namespace eqm::fuzz {
namespace {

void parse(std::span<const std::byte> bytes) {
  const Image image = decode_image(bytes, "fuzzed");
  if (problem_of(image)) std::abort();
}

}  // namespace
}  // namespace eqm::fuzz

EQM_FUZZ_TARGET(eqm::fuzz::parse)
