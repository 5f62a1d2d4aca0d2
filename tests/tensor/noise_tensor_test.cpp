#include "eqm/tensor/noise_tensor.h"

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace eqm::test {
namespace {

constexpr NoiseKey kKey = {.seed = 12, .sample = 1000, .draw = 3};

TEST(NoiseTensor, each_row_is_the_stream_of_its_sample) {
  for (const int64_t width : {1, 2, 7, 3001}) {
    const Tensor rows = normal_rows(kKey, 5, {width}, torch::kFloat64);
    for (int64_t b = 0; b < 5; ++b) {
      std::vector<double> stream(static_cast<size_t>(width));
      fill_normal({.seed = 12, .sample = 1000 + static_cast<uint64_t>(b), .draw = 3}, stream);
      EXPECT_TRUE(torch::equal(rows[b], torch::tensor(stream, torch::kFloat64)));
    }
  }
}

TEST(NoiseTensor, any_window_is_a_slice_of_the_whole) {
  const Tensor all = normal_rows(kKey, 20, {3, 2}, torch::kFloat32);
  NoiseKey later = kKey;
  later.sample += 7;
  EXPECT_TRUE(torch::equal(normal_rows(later, 6, {3, 2}, torch::kFloat32), all.narrow(0, 7, 6)));
  const Tensor gammas = uniform_rows(kKey, 20, torch::kFloat64);
  EXPECT_TRUE(torch::equal(uniform_rows(later, 6, torch::kFloat64), gammas.narrow(0, 7, 6)));
}

TEST(NoiseTensor, float32_is_the_rounding_of_float64) {
  EXPECT_TRUE(torch::equal(normal_rows(kKey, 4, {9}, torch::kFloat32),
                           normal_rows(kKey, 4, {9}, torch::kFloat64).to(torch::kFloat32)));
}

TEST(NoiseTensor, seeds_and_draws_are_separate_streams) {
  const Tensor rows = normal_rows(kKey, 4, {50}, torch::kFloat64);
  for (const NoiseKey other : {NoiseKey{.seed = 13, .sample = 1000, .draw = 3},
                               NoiseKey{.seed = 12, .sample = 1000, .draw = 4}}) {
    const Tensor others = normal_rows(other, 4, {50}, torch::kFloat64);
    EXPECT_LT(std::abs((rows * others).mean().item<double>()), 0.3);
  }
}

TEST(NoiseTensor, has_the_moments_of_its_distribution) {
  const Tensor rows = normal_rows(kKey, 100, {1000}, torch::kFloat64);
  EXPECT_NEAR(rows.mean().item<double>(), 0, 0.015);
  EXPECT_NEAR(rows.var().item<double>(), 1, 0.02);
  EXPECT_NEAR(rows.pow(4).mean().item<double>(), 3, 0.15);
  const Tensor gammas = uniform_rows(kKey, 20000, torch::kFloat64);
  EXPECT_GE(gammas.min().item<double>(), 0);
  EXPECT_LT(gammas.max().item<double>(), 1);
  EXPECT_NEAR(gammas.mean().item<double>(), 0.5, 0.01);
  EXPECT_NEAR(gammas.var().item<double>(), 1.0 / 12, 0.003);
}

TEST(NoiseTensor, dropout_keeps_the_mean_and_hides_as_often_as_asked) {
  const Tensor seeds = seed_rows(kKey, 4);
  EXPECT_EQ(std::get<0>(torch::_unique(seeds)).numel(), 4);
  EXPECT_TRUE(
      torch::equal(seed_rows({.seed = kKey.seed, .sample = kKey.sample + 1, .draw = kKey.draw}, 3),
                   seeds.narrow(0, 1, 3)));
  for (const torch::ScalarType type : {torch::kFloat32, torch::kFloat64}) {
    const Tensor x = torch::zeros({4, 10, 1001}, type);
    const Tensor mask = dropout_rows(seeds, 2, 0.3, x);
    EXPECT_EQ(mask.dtype(), type);
    EXPECT_NEAR((mask == 0).to(torch::kFloat64).mean().item<double>(), 0.3, 0.01);
    EXPECT_NEAR(mask.to(torch::kFloat64).mean().item<double>(), 1, 0.02);
    EXPECT_NEAR(mask.max().item<double>(), 1 / 0.7, 1e-4);
    // A row is its own, whatever is beside it; layers differ.
    EXPECT_TRUE(
        torch::equal(dropout_rows(seeds.narrow(0, 2, 1), 2, 0.3, x.narrow(0, 2, 1))[0], mask[2]));
    const Tensor other = dropout_rows(seeds, 3, 0.3, x);
    EXPECT_NEAR(((mask == 0) & (other == 0)).to(torch::kFloat64).mean().item<double>(), 0.09, 0.01);
  }
}

TEST(NoiseTensor, nothing_is_asked_and_nothing_given) {
  EXPECT_EQ(normal_rows(kKey, 0, {3}, torch::kFloat32).sizes(), Shape({0, 3}));
  EXPECT_EQ(uniform_rows(kKey, 0, torch::kFloat32).numel(), 0);
}

}  // namespace
}  // namespace eqm::test
