#include "eqm/kernel/simd/scratch.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace eqm::test {
namespace {

TEST(Scratch, grows_and_keeps) {
  simd::Scratch scratch;
  float* large = scratch.take(1000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large) % 64, 0U);
  EXPECT_EQ(scratch.take(10), large);
}

TEST(Scratch, tells_when_memory_is_short) {
  simd::Scratch scratch;
  EXPECT_THROW(scratch.take(size_t{1} << 58), std::bad_alloc);
  EXPECT_NE(scratch.take(8), nullptr);
}

}  // namespace
}  // namespace eqm::test
