#include "eqm/io/weights_file.h"
#include "fuzz/target.h"

namespace eqm::fuzz {
namespace {

void parse(std::span<const std::byte> bytes) {
  const WeightsFile file = WeightsFile::parse(bytes, "fuzzed", WeightsChoice::automatic);
  for (const NamedWeights& item : file.tensors()) {
    // The farthest element that the shape can name lies within the bytes.
    if (element_count(item.view.shape) != uint64_t{0}) {
      uint64_t last = 0;
      for (size_t i = 0; i < item.view.shape.size(); ++i) {
        last += static_cast<uint64_t>((item.view.shape[i] - 1) * item.view.strides[i]);
      }
      if ((last + 1) * size_of(item.view.dtype) != item.view.bytes.size()) std::abort();
    }
    is_contiguous(item.view);
    touch(item.view.bytes);
    file.check(item);
  }
}

}  // namespace
}  // namespace eqm::fuzz

EQM_FUZZ_TARGET(eqm::fuzz::parse)
