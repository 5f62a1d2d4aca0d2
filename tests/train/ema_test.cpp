#include "eqm/train/ema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

constexpr kernel::AdamWStep kNoStep = {
    .rate = 0, .weight_decay = 0, .beta1 = 0, .beta2 = 0, .epsilon = 0, .number = 1};

// Puts the tensors of a golden case named `prefix.<parameter>` into the network.
std::vector<std::string> put(const GoldenCase& golden, const std::string& prefix,
                             Backbone& backbone) {
  const torch::NoGradGuard guard;
  std::vector<std::string> names;
  for (const auto& entry : backbone.named_parameters()) {
    const std::string key = prefix + "." + entry.key();
    if (!golden.has(key)) continue;
    entry.value().copy_(golden.input(key, torch::kFloat32));
    names.push_back(entry.key());
  }
  return names;
}

// Averages alone, where the weights stay.
void update(Ema& ema, const Backbone& backbone, double decay) {
  kernel::update_weights(ema.pairs_with(backbone), kNoStep, decay);
}

TEST(Ema, two_updates_match_the_reference) {
  for (const GoldenCase& golden : golden_cases("ema")) {
    for (const double decay : golden.meta_json("decays").get<std::vector<double>>()) {
      Sit sit(sit_config_from_json(golden.meta("config")));
      sit.initialise(0);
      put(golden, "ema_before", sit);
      Ema ema(sit);
      const std::vector<std::string> names = put(golden, "model", sit);
      ASSERT_GE(names.size(), 4U);
      update(ema, sit, decay);
      update(ema, sit, decay);
      const std::string suffix = decay == 0 ? "0.0" : fmt::format("{}", decay);
      for (const std::string& name : names) {
        const Tensor expected = golden.expected(fmt::format("ema_after2.d{}.{}", suffix, name));
        EXPECT_TRUE(close(ema.backbone()->named_parameters()[name], expected, 1e-6))
            << decay << " " << name;
      }
    }
  }
}

TEST(Ema, starts_as_a_copy_and_follows_the_formula) {
  const auto mlp = small_mlp();
  Ema ema(*mlp);
  const Tensor before = mlp->named_parameters()["out.weight"].detach().clone();
  shake(*mlp, 1.0, 5);
  const Tensor after = mlp->named_parameters()["out.weight"].detach().clone();
  const auto average = [&] {
    return ema.backbone()->named_parameters()["out.weight"].detach().clone();
  };
  EXPECT_TRUE(torch::equal(average(), before));  // not a view of the weights
  update(ema, *mlp, 0.75);
  EXPECT_TRUE(close(average(), 0.75 * before + 0.25 * after, 1e-14));
  update(ema, *mlp, 0.5);
  EXPECT_TRUE(close(average(), 0.375 * before + 0.625 * after, 1e-14));
  update(ema, *mlp, 0.75);
  EXPECT_TRUE(close(average(), 0.28125 * before + 0.71875 * after, 1e-14));
  EXPECT_TRUE(torch::equal(mlp->named_parameters()["out.weight"], after));  // reads only
}

TEST(Ema, covers_fixed_parameters_and_builds_no_graph) {
  const auto sit = small_sit();
  Ema ema(*sit);
  EXPECT_EQ(ema.backbone()->parameters().size(), sit->parameters().size());
  update(ema, *sit, 0.9);
  for (const Tensor& tensor : ema.backbone()->parameters()) {
    EXPECT_FALSE(tensor.requires_grad());
  }
}

}  // namespace
}  // namespace eqm::test
