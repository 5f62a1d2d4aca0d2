#include "eqm/base/half.h"

#include <cmath>

#include <gtest/gtest.h>

namespace eqm {
namespace {

TEST(Half, widens_every_f16) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = float_from_f16(static_cast<uint16_t>(bits));
    const int exponent = static_cast<int>((bits >> 10) & 0x1f);
    const int fraction = static_cast<int>(bits & 0x3ff);
    EXPECT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
    if (exponent == 0x1f) {
      EXPECT_EQ(std::isnan(value), fraction != 0) << bits;
      EXPECT_EQ(std::isinf(value), fraction == 0) << bits;
      continue;
    }
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    EXPECT_EQ(std::fabs(value), magnitude) << bits;
  }
}

TEST(Half, widens_bf16) {
  EXPECT_EQ(float_from_bf16(0x3f80), 1.0f);
  EXPECT_EQ(float_from_bf16(0xc049), -3.140625f);
  EXPECT_EQ(float_from_bf16(0x0001), std::ldexp(1.0f, -133));
  EXPECT_TRUE(std::isinf(float_from_bf16(0x7f80)));
  EXPECT_TRUE(std::isnan(float_from_bf16(0x7fc0)));
}

}  // namespace
}  // namespace eqm
