// Damaged copies of a file, as transfers and attackers make them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <rapidcheck.h>

namespace eqm::test {

using Bytes = std::vector<std::byte>;

// The file cut after every sixteenth of it (empty, but never whole), and without its last byte.
inline std::vector<Bytes> truncations(std::span<const std::byte> bytes) {
  std::vector<Bytes> cut;
  for (size_t part = 0; part < 16; ++part) {
    const auto kept = bytes.first(bytes.size() * part / 16);
    cut.emplace_back(kept.begin(), kept.end());
  }
  cut.emplace_back(bytes.begin(), bytes.end() - 1);
  return cut;
}

// Inside a rapidcheck property: one to four bytes changed to anything.
inline Bytes with_changed_bytes(Bytes bytes) {
  const auto changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes; ++i) {
    bytes[*rc::gen::inRange<size_t>(0, bytes.size())] =
        static_cast<std::byte>(*rc::gen::inRange(0, 256));
  }
  return bytes;
}

}  // namespace eqm::test
