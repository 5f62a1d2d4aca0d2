#include "eqm/io/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace eqm {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint32_t kPolynomial = 0x82F63B78;  // 0x1EDC6F41 with its bits reversed
constexpr size_t kStride = 8;                 // bytes taken at once

using Remainders = std::array<uint32_t, 256>;

// kTables[k][byte] is the remainder of the byte followed by k zero bytes.
constexpr std::array<Remainders, kStride> make_tables() {
  std::array<Remainders, kStride> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ (rest & 1 ? kPolynomial : 0);
    tables[0][byte] = rest;
  }
  for (size_t k = 1; k < kStride; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t rest = tables[k - 1][byte];
      tables[k][byte] = (rest >> 8) ^ tables[0][rest & 0xFF];
    }
  }
  return tables;
}

constexpr std::array<Remainders, kStride> kTables = make_tables();

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t crc = 0xFFFFFFFF;
  for (; bytes.size() >= kStride; bytes.remove_prefix(kStride)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), kStride);
    word ^= crc;
    crc = 0;
    for (size_t i = 0; i < kStride; ++i) {
      crc ^= kTables[kStride - 1 - i][(word >> (8 * i)) & 0xFF];
    }
  }
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xFF];
  }
  return ~crc;
}

}  // namespace eqm
