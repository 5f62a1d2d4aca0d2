#include "eqm/io/pickle.h"
#include "fuzz/target.h"

namespace eqm::fuzz {
namespace {

void parse(std::span<const std::byte> bytes) {
  const PickleTree tree = PickleTree::parse(bytes, "fuzzed");
  for (size_t i = 0; i < tree.size(); ++i) {
    const PickleValue value = tree.value(i);
    described(value);
    value.find("key");
    if (value.state()) described(*value.state());
    if (value.arguments()) described(*value.arguments());
  }
}

}  // namespace
}  // namespace eqm::fuzz

EQM_FUZZ_TARGET(eqm::fuzz::parse)
