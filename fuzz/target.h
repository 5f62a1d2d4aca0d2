// What all fuzz targets share: a parser may refuse its input by an error of kind input, and do
// nothing else but succeed. Crashes, hangs, other exceptions and too much memory are what libFuzzer
// reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "eqm/base/error.h"

namespace eqm::fuzz {

template <class Parser>
int survive(const uint8_t* data, size_t size, const Parser& parse) {
  try {
    parse(std::as_bytes(std::span(data, size)));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input || error.hint().empty()) std::abort();
  }
  return 0;
}

// Touches every byte, so that the sanitizer sees views that reach too far.
inline void touch(std::span<const std::byte> bytes) {
  unsigned sum = 0;
  for (const std::byte byte : bytes) sum += std::to_integer<unsigned>(byte);
  volatile unsigned sink = sum;
  static_cast<void>(sink);
}

}  // namespace eqm::fuzz

#define EQM_FUZZ_TARGET(parser)                                             \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) { \
    return eqm::fuzz::survive(data, size, parser);                          \
  }
