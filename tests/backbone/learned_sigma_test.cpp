#include "eqm/backbone/learned_sigma.h"

#include <gtest/gtest.h>

#include "eqm/backbone/weights.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

TEST(LearnedSigma, without_it_the_network_answers_the_same) {
  for (const int64_t patch : {1, 2}) {
    SitConfig config = small_sit_config();
    config.patch_size = patch;
    config.learn_sigma = true;
    const auto whole = small_sit(config);
    const BackbonePtr used = without_learned_sigma(whole);
    config.learn_sigma = false;
    EXPECT_EQ(used->architecture(), to_json(config));
    const Tensor x = normal(0, 3, Shape{2, 4, 4});
    const Condition condition = {.labels = torch::tensor({0, 2, 3}, torch::kInt64), .time = {}};
    EXPECT_TRUE(torch::allclose(used->forward(x, condition).output,
                                whole->forward(x, condition).output, 1e-12, 1e-14));
  }
}

TEST(LearnedSigma, others_stay_the_networks_they_are) {
  const BackbonePtr plain = small_sit();
  EXPECT_EQ(without_learned_sigma(plain), plain);
  const BackbonePtr mlp = small_mlp();
  EXPECT_EQ(without_learned_sigma(mlp), mlp);
}

}  // namespace
}  // namespace eqm::test
