#include "eqm/codec/states.h"

#include <gtest/gtest.h>

#include "eqm/tensor/noise_tensor.h"

namespace eqm::test {
namespace {

TEST(BytesOf, bring_back_the_pixels_that_states_were_made_of) {
  const Tensor pixels = torch::arange(256).to(torch::kUInt8).reshape({1, 1, 16, 16});
  const Scaling scaling = Scaling::pixels();
  EXPECT_TRUE(torch::equal(bytes_of(scaling.to_states(pixels), scaling), pixels));
}

TEST(BytesOf, hold_values_within_a_byte) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor states =
      torch::tensor({-9.0F, 9.0F, -inf, inf, std::nanf("")}).reshape({1, 1, 1, 5});
  const Tensor bytes = bytes_of(states, Scaling::pixels());
  EXPECT_TRUE(torch::equal(bytes.flatten(), torch::tensor({0, 255, 0, 255, 0}, torch::kUInt8)));
}

}  // namespace
}  // namespace eqm::test
