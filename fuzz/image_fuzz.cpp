#include "eqm/io/image.h"
#include "fuzz/target.h"

namespace eqm::fuzz {
namespace {

void parse(std::span<const std::byte> bytes) {
  const ImageHeader header = read_image_header(bytes, "fuzzed");
  const Image image = decode_image(bytes, "fuzzed");
  if (problem_of(image) || header.width != image.width || header.height != image.height ||
      header.channels != image.channels) {
    std::abort();
  }
}

}  // namespace
}  // namespace eqm::fuzz

EQM_FUZZ_TARGET(eqm::fuzz::parse)
