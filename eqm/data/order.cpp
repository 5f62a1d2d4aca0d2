#include "eqm/data/order.h"

#include <bit>
#include <string>

#include <Random123/philox.h>

#include "eqm/base/draws.h"
#include "eqm/base/error.h"

namespace eqm {
namespace {

using Philox = r123::Philox4x32;

// Four rounds suffice for large sets (Luby and Rackoff); sets of a handful need more to reach their
// few permutations about equally often.
static_assert(kOrderRounds == 12, "another number gives another order");

class Permutation {
 public:
  Permutation(uint64_t seed, uint64_t epoch, uint64_t size)
      : key_{{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}},
        epoch_(epoch),
        // An even number of bits, two at least: fewer than four times `size` values.
        half_bits_(size <= 4 ? 1 : (static_cast<int>(std::bit_width(size - 1)) + 1) / 2) {}

  uint64_t operator()(uint64_t value) const {
    const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
    uint64_t left = value >> half_bits_;
    uint64_t right = value & mask;
    for (uint32_t round = 0; round < kOrderRounds; ++round) {
      const uint64_t mixed = (left ^ bits(right, round)) & mask;
      left = right;
      right = mixed;
    }
    return (left << half_bits_) | right;
  }

 private:
  uint32_t bits(uint64_t half, uint32_t round) const {
    const Philox::ctr_type counter = {{static_cast<uint32_t>(half), draw_order + round,
                                       static_cast<uint32_t>(epoch_),
                                       static_cast<uint32_t>(epoch_ >> 32)}};
    return Philox()(counter, key_)[0];
  }

  Philox::key_type key_;
  uint64_t epoch_;
  int half_bits_;
};

}  // namespace

int64_t shuffled(uint64_t seed, int64_t epoch, int64_t position, int64_t size) {
  if (epoch < 0 || position < 0 || position >= size) {
    throw Error(ErrorKind::internal, "position " + std::to_string(position) + " of epoch " +
                                         std::to_string(epoch) + " is outside a set of " +
                                         std::to_string(size));
  }
  const Permutation permutation(seed, static_cast<uint64_t>(epoch), static_cast<uint64_t>(size));
  auto value = static_cast<uint64_t>(position);
  do {
    value = permutation(value);
  } while (value >= static_cast<uint64_t>(size));
  return static_cast<int64_t>(value);
}

}  // namespace eqm
