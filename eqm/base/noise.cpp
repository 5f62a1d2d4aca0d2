#include "eqm/base/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <Random123/philox.h>

namespace eqm {
namespace {

using Philox = r123::Philox4x32;

Philox::ctr_type block_of(const NoiseKey& key, uint64_t block) {
  // A stream holds 2^32 blocks: more numbers than any sample has elements.
  const Philox::ctr_type counter = {{static_cast<uint32_t>(block), key.draw,
                                     static_cast<uint32_t>(key.sample),
                                     static_cast<uint32_t>(key.sample >> 32)}};
  const Philox::key_type philox_key = {
      {static_cast<uint32_t>(key.seed), static_cast<uint32_t>(key.seed >> 32)}};
  return Philox()(counter, philox_key);
}

// Two uniform doubles from one counter block.
std::array<double, 2> uniform_pair(const NoiseKey& key, uint64_t block) {
  const Philox::ctr_type bits = block_of(key, block);
  const auto to_unit = [](uint32_t low, uint32_t high) {
    const uint64_t joined = (static_cast<uint64_t>(high) << 32) | low;
    return static_cast<double>(joined >> 11) * 0x1.0p-53;
  };
  return {to_unit(bits[0], bits[1]), to_unit(bits[2], bits[3])};
}

std::array<double, 2> normal_pair(const NoiseKey& key, uint64_t block) {
  const auto [u, v] = uniform_pair(key, block);
  const double radius = std::sqrt(-2.0 * std::log1p(-u));  // 1-u is in (0, 1]
  const double angle = 2.0 * std::numbers::pi * v;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

template <class T, class Pair>
void fill(std::span<T> out, Pair pair) {
  for (size_t i = 0; i < out.size(); i += 2) {
    const std::array<double, 2> two = pair(i / 2);
    out[i] = static_cast<T>(two[0]);
    if (i + 1 < out.size()) out[i + 1] = static_cast<T>(two[1]);
  }
}

}  // namespace

void fill_normal(NoiseKey key, std::span<double> out) {
  fill(out, [&](uint64_t block) { return normal_pair(key, block); });
}

void fill_normal(NoiseKey key, std::span<float> out) {
  fill(out, [&](uint64_t block) { return normal_pair(key, block); });
}

void fill_uniform(NoiseKey key, std::span<double> out) {
  fill(out, [&](uint64_t block) { return uniform_pair(key, block); });
}

double uniform(NoiseKey key) {
  return uniform_pair(key, 0)[0];
}

void fill_bits(NoiseKey key, std::span<uint16_t> out) {
  constexpr size_t kPerBlock = 8;
  for (size_t i = 0; i < out.size(); i += kPerBlock) {
    const Philox::ctr_type bits = block_of(key, i / kPerBlock);
    for (size_t k = 0; k < std::min(kPerBlock, out.size() - i); ++k) {
      out[i + k] = static_cast<uint16_t>(bits[k / 2] >> (16 * (k % 2)));
    }
  }
}

uint64_t random_bits(NoiseKey key) {
  const Philox::ctr_type bits = block_of(key, 0);
  return (static_cast<uint64_t>(bits[1]) << 32) | bits[0];
}

uint64_t uniform_index(NoiseKey key, uint64_t count) {
  const auto index = static_cast<uint64_t>(uniform(key) * static_cast<double>(count));
  return std::min(index, count - 1);
}

}  // namespace eqm
