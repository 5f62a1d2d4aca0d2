#include "eqm/kernel/packed_weight.h"

#include <gtest/gtest.h>

#include "eqm/kernel/ops.h"
#include "eqm/kernel/plain.h"
#include "eqm/kernel/update.h"
#include "tests/support/golden.h"

namespace eqm::test {
namespace {

TEST(PackedWeight, is_packed_once_and_again_when_the_weight_changes) {
  kernel::PackedWeight packed;
  const Tensor weight = torch::randn({40, 7}), other = torch::randn({40, 7});
  const std::shared_ptr<const float> first = packed.packed(weight);
  EXPECT_EQ(packed.packed(weight), first);
  const float before = *first;
  weight.add_(1);
  const std::shared_ptr<const float> second = packed.packed(weight);
  EXPECT_NE(second, first);  // which someone still reads
  EXPECT_EQ(*first, before);
  EXPECT_EQ(*second, before + 1);
  EXPECT_EQ(*packed.packed(other), other[0][0].item<float>());
}

TEST(PackedWeight, sees_what_an_optimiser_step_changed) {
  kernel::PackedWeight packed;
  const Tensor weight = torch::randn({33, 5}), bias = torch::randn({33}), x = torch::randn({4, 5});
  kernel::linear(x, {weight, bias, &packed});
  const kernel::AdamWStep step = {
      .rate = 0.5, .weight_decay = 0, .beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8, .number = 1};
  kernel::update_weights({{.weight = weight,
                           .gradient = torch::ones_like(weight),
                           .first = torch::zeros_like(weight),
                           .second = torch::zeros_like(weight),
                           .average = {}}},
                         step, 0);
  EXPECT_TRUE(close(kernel::linear(x, {weight, bias, &packed}),
                    kernel::plain::linear(x, weight, bias).to(torch::kFloat64), 1e-6));
  kernel::update_weights({{.weight = torch::zeros_like(weight),
                           .gradient = {},
                           .first = {},
                           .second = {},
                           .average = weight}},
                         step, 0.25);
  EXPECT_TRUE(close(kernel::linear(x, {weight, bias, &packed}),
                    kernel::plain::linear(x, weight, bias).to(torch::kFloat64), 1e-6));
}

TEST(PackedWeight, knows_one_tensor_from_another_at_the_same_address) {
  kernel::PackedWeight packed;
  Tensor weight = torch::zeros({40, 7});
  for (int i = 1; i < 20; ++i) {
    weight.set_data(torch::empty({0}));  // the memory is free for the next
    weight.set_data(torch::full({40, 7}, static_cast<float>(i), torch::kFloat32));
    EXPECT_EQ(*packed.packed(weight), static_cast<float>(i));
  }
  const Tensor wide = torch::arange(80 * 7, torch::kFloat32).view({40, 14});
  EXPECT_EQ(packed.packed(wide.narrow(1, 0, 7)).get()[1], 14);
  EXPECT_EQ(packed.packed(wide.view({80, 7}).narrow(0, 0, 40)).get()[1], 7);
}

}  // namespace
}  // namespace eqm::test
