#include "eqm/backbone/initialise.h"

#include <cmath>

#include <gtest/gtest.h>

#include "eqm/backbone/mlp.h"
#include "eqm/backbone/sit.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

bool same_weights(const Backbone& a, const Backbone& b) {
  const auto left = a.parameters(), right = b.parameters();
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Tensor& x, const Tensor& y) { return torch::equal(x, y); });
}

template <class Network, class Config>
void expect_a_function_of_the_seed(const Config& config) {
  Network a(config), b(config);
  a.initialise(42);
  torch::manual_seed(1);  // the global generator has no say
  b.initialise(7);
  EXPECT_FALSE(same_weights(a, b));
  torch::manual_seed(2);
  b.initialise(42);
  EXPECT_TRUE(same_weights(a, b));
  shake(b, 1.0);
  b.initialise(42);  // whatever was there before
  EXPECT_TRUE(same_weights(a, b));
}

TEST(Initialise, weights_are_a_pure_function_of_the_seed) {
  expect_a_function_of_the_seed<Sit>(small_sit_config());
  expect_a_function_of_the_seed<Mlp>(MlpConfig{.width = 8, .fourier = 3, .num_classes = 2});
}

TEST(Initialise, does_not_touch_the_global_generator) {
  torch::manual_seed(3);
  const Tensor expected = torch::rand({4});
  Mlp mlp(MlpConfig{.width = 4});
  torch::manual_seed(3);
  mlp.initialise(1);
  EXPECT_TRUE(torch::equal(torch::rand({4}), expected));
}

TEST(Initialise, both_precisions_hold_the_same_numbers) {
  Mlp narrow(MlpConfig{.width = 8}), wide(MlpConfig{.width = 8});
  wide.to(torch::kFloat64);
  narrow.initialise(5);
  wide.initialise(5);
  const auto a = narrow.parameters(), b = wide.parameters();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(torch::equal(a[i], b[i].to(torch::kFloat32)));
}

TEST(Initialise, xavier_fills_its_bounds_evenly) {
  const Tensor weight = torch::empty({50, 20, 3, 3});
  Initialiser(9).xavier(weight);
  const double bound = std::sqrt(6.0 / (50 + 180));
  EXPECT_LE(weight.abs().max().item<double>(), bound);
  EXPECT_GT(weight.max().item<double>(), 0.99 * bound);
  EXPECT_LT(weight.min().item<double>(), -0.99 * bound);
  EXPECT_NEAR(weight.mean().item<double>(), 0, 0.03 * bound);
  EXPECT_NEAR(weight.square().mean().item<double>(), bound * bound / 3, 0.03 * bound * bound);
}

TEST(Initialise, normal_has_its_deviation) {
  const Tensor weight = torch::empty({100, 100});
  Initialiser(9).normal(weight, 0.02);
  EXPECT_NEAR(weight.std().item<double>(), 0.02, 0.0006);
  EXPECT_NEAR(weight.mean().item<double>(), 0, 0.0008);
}

TEST(Initialise, tensors_filled_one_after_the_other_differ) {
  Initialiser fill(1);
  const Tensor a = torch::empty({64}), b = torch::empty({64});
  fill.normal(a, 1);
  fill.normal(b, 1);
  EXPECT_LT(std::abs((a * b).mean().item<double>()), 0.5);
}

TEST(Initialise, a_sit_starts_as_the_paper_says) {
  SitConfig config = small_sit_config();
  config.hidden_size = 64;
  config.num_classes = 200;
  Sit sit(config);
  sit.initialise(11);
  for (const auto& entry : sit.named_parameters()) {
    const std::string& name = entry.key();
    const Tensor w = entry.value().detach();
    SCOPED_TRACE(name);
    const auto matches = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (matches("adaLN") || matches("final_layer") || name.ends_with("bias")) {
      EXPECT_EQ(w.abs().max().item<float>(), 0);
    } else if (matches("t_embedder") || matches("y_embedder")) {
      EXPECT_NEAR(w.std().item<double>(), 0.02, 0.002);
    } else if (name != "pos_embed") {
      const auto rows = static_cast<double>(w.size(0));
      const double bound = std::sqrt(6.0 / (rows + static_cast<double>(w.numel()) / rows));
      EXPECT_LE(w.abs().max().item<double>(), bound * (1 + 1e-6));
      EXPECT_GT(w.abs().max().item<double>(), 0.95 * bound);
    }
  }
}

}  // namespace
}  // namespace eqm::test
