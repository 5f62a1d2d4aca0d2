// The order of an epoch as a pure function with random access: a Feistel network on the bits of the
// position, with Philox as its round function and the epoch in the counter, is a bijection of
// [0, 2^b); walking along its cycles until the value is below `size` makes it one of [0, size).
// There is no table and no state, so any place of any epoch costs the same, about half a
// microsecond.
#pragma once

#include <cstdint>

namespace eqm {

// The example at `position` of the epoch, both in [0, size). Over all positions every example comes
// once. Thread-safe.
int64_t shuffled(uint64_t seed, int64_t epoch, int64_t position, int64_t size);

}  // namespace eqm
