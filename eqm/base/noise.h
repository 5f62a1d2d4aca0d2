// Counter-based randomness: every number is a pure function of (seed, sample, draw, position), by
// Philox 4x32-10. A sample owns its randomness: it is the same in any batch, order, thread or
// process. There is no state, so everything here is thread-safe.
#pragma once

#include <cstdint>
#include <span>

namespace eqm {

// Names one stream of numbers.
struct NoiseKey {
  uint64_t seed = 0;
  uint64_t sample = 0;
  uint32_t draw = 0;
};

// Standard normal numbers (Box-Muller, computed in double; the float version is its rounding).
void fill_normal(NoiseKey key, std::span<double> out);
void fill_normal(NoiseKey key, std::span<float> out);

// Uniform numbers in [0, 1): 53 random bits each.
void fill_uniform(NoiseKey key, std::span<double> out);
double uniform(NoiseKey key);

// 16 random bits each, at a quarter of the cost of uniform numbers.
void fill_bits(NoiseKey key, std::span<uint16_t> out);

// 64 random bits.
uint64_t random_bits(NoiseKey key);

// A whole number in [0, count), without bias worth a thought (count < 2^32).
uint64_t uniform_index(NoiseKey key, uint64_t count);

}  // namespace eqm
