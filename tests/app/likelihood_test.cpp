#include "eqm/app/likelihood.h"

#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "tests/app/app_models.h"
#include "tests/app/recording_host.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

using app::DivergenceBy;
using app::LikelihoodResult;
using app::LikelihoodUseOptions;

class LikelihoodUse : public ::testing::Test {
 protected:
  LikelihoodUseOptions options(ObjectiveKind kind = ObjectiveKind::fm) {
    LikelihoodUseOptions options;
    options.model = write_picture_model(folder_ / "model.safetensors", kind);
    options.data = data_;
    options.count = 3;
    options.atol = options.rtol = 1e-3;
    options.out = (folder_ / "out").string();
    return options;
  }

  TemporaryFolder folder_;
  std::string data_ = write_set(folder_ / "data.safetensors", {}).string();
};

// A flow that does not move has the density of noise, whatever the divergence is found by.
TEST_F(LikelihoodUse, of_a_flow_at_rest_is_that_of_noise) {
  Model still = picture_model(ObjectiveKind::fm);
  {
    const torch::NoGradGuard guard;
    for (const Tensor& weight : still.backbone->parameters()) {
      if (weight.requires_grad()) weight.zero_();
    }
  }
  LikelihoodUseOptions wanted = options();
  save_model(still, folder_ / "model.safetensors");
  wanted.dequantise = false;
  RecordingHost host;
  for (const DivergenceBy by : {DivergenceBy::exact, DivergenceBy::signs}) {
    wanted.divergence = by;
    const LikelihoodResult result = app::run(wanted, host);
    EXPECT_EQ(result.exact, by == DivergenceBy::exact);
    EXPECT_EQ(result.count, 3);
    EXPECT_TRUE(result.pixels);
    // Of pixels at x in [-1, 1]: log₂(127.5 √(2π)) and half a square each.
    const double least = std::log2(127.5 * std::sqrt(2 * std::numbers::pi));
    EXPECT_GE(result.bits, least - 1e-6);
    EXPECT_LE(result.bits, least + 0.5 / std::numbers::ln2 + 1e-6);
    EXPECT_LE(result.low, result.bits);
    EXPECT_GE(result.high, result.bits);
  }
  for (const char* name : {"likelihood.csv", "histogram.png", "histogram.svg"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / name)) << name;
  }
}

TEST_F(LikelihoodUse, is_exact_for_small_states_by_default) {
  RecordingHost host;
  LikelihoodUseOptions wanted = options(ObjectiveKind::fm_unconditional);
  const LikelihoodResult result = app::run(wanted, host);
  EXPECT_TRUE(result.exact) << "64 numbers";
  EXPECT_TRUE(std::isfinite(result.bits));
}

TEST_F(LikelihoodUse, refuses_landscapes_and_missing_data) {
  RecordingHost host;
  LikelihoodUseOptions none = options();
  none.data = "";
  expect_error(ErrorKind::usage, "no data", [&] { app::run(none, host); });
  const LikelihoodUseOptions landscape = options(ObjectiveKind::eqm);
  expect_error(ErrorKind::usage, "no likelihood", [&] { app::run(landscape, host); });
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

}  // namespace
}  // namespace eqm::test
