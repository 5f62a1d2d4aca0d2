#include "eqm/landscape/scaling.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace eqm::test {
namespace {

TEST(Scaling, maps_bytes_to_plus_minus_one) {
  const Tensor bytes = torch::tensor({{0, 51, 255}}, torch::kUInt8);
  const Tensor states = Scaling::pixels().to_states(bytes);
  EXPECT_EQ(states.scalar_type(), torch::kFloat32);
  EXPECT_TRUE(close(states, torch::tensor({{-1.0, -0.6, 1.0}}), 1e-7));
}

TEST(Scaling, brings_every_byte_back) {
  const Tensor bytes = torch::arange(256).reshape({16, 1, 4, 4}).to(torch::kUInt8);
  const Scaling pixels = Scaling::pixels();
  const Tensor values = pixels.to_values(pixels.to_states(bytes));
  EXPECT_TRUE(torch::equal(values.round().to(torch::kUInt8), bytes));
}

TEST(Scaling, is_the_identity_unless_told) {
  for (const torch::ScalarType type : kPrecisions) {
    const Tensor values = torch::tensor({{0.25, -3.0}}, type);
    EXPECT_TRUE(torch::equal(Scaling{}.to_states(values), values));
    EXPECT_TRUE(torch::equal(Scaling{}.to_values(values), values));
  }
}

TEST(Scaling, takes_the_centre_away_and_divides_by_the_unit) {
  for (const torch::ScalarType type : kPrecisions) {
    const Scaling scaling = {.centre = {10}, .unit = 4};
    const Tensor values = torch::tensor({{{10.0, 12.0}, {2.0, 0.0}}}, type);
    const Tensor states = torch::tensor({{{0.0, 0.5}, {-2.0, -2.5}}}, type);
    EXPECT_TRUE(torch::equal(scaling.to_states(values), states));
    EXPECT_TRUE(torch::equal(scaling.to_values(states), values));
    EXPECT_EQ(scaling.to_states(values).scalar_type(), type);
  }
}

TEST(Scaling, has_a_centre_for_every_channel) {
  const Scaling scaling = {.centre = {1, 2, 3}, .unit = 2};
  const Tensor image = torch::zeros({5, 3, 2, 2}, torch::kFloat64);
  const Tensor states = scaling.to_states(image);
  for (int64_t channel = 0; channel < 3; ++channel) {
    const Tensor expected =
        torch::full({5, 2, 2}, -0.5 * static_cast<double>(channel + 1), torch::kFloat64);
    EXPECT_TRUE(torch::equal(states.select(1, channel), expected)) << channel;
  }
  EXPECT_TRUE(torch::equal(scaling.to_values(states), image));
  const Tensor points = torch::tensor({{1.0, 2.0, 3.0}, {3.0, 2.0, 1.0}}, torch::kFloat64);
  EXPECT_TRUE(torch::equal(scaling.to_states(points),
                           torch::tensor({{0.0, 0.0, 0.0}, {1.0, 0.0, -1.0}}, torch::kFloat64)));
}

TEST(Scaling, keeps_double_precision) {
  const Tensor value = torch::tensor({{1.0 / 3}}, torch::kFloat64);
  const Scaling scaling = {.centre = {0.1}, .unit = 0.7};
  EXPECT_DOUBLE_EQ(scaling.to_states(value).item<double>(), (1.0 / 3 - 0.1) / 0.7);
}

TEST(Scaling, refuses_another_number_of_channels) {
  const Scaling scaling = {.centre = {1, 2, 3}, .unit = 2};
  for (const Shape& shape : {Shape{2, 4, 3, 3}, Shape{2, 1}, Shape{3}}) {
    expect_error(ErrorKind::usage, "channels", [&] { scaling.to_states(torch::zeros(shape)); });
    expect_error(ErrorKind::usage, "channels", [&] { scaling.to_values(torch::zeros(shape)); });
  }
}

TEST(Scaling, compares_by_its_numbers) {
  EXPECT_EQ(Scaling::pixels(), (Scaling{.centre = {127.5}, .unit = 127.5}));
  EXPECT_NE(Scaling::pixels(), (Scaling{.centre = {127.5}, .unit = 127}));
  EXPECT_NE(Scaling{}, (Scaling{.centre = {0, 0}}));
}

}  // namespace
}  // namespace eqm::test
