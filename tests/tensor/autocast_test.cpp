#include "eqm/tensor/autocast.h"

#include <thread>

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace eqm::test {
namespace {

torch::ScalarType product_type() {
  return torch::matmul(torch::ones({2, 2}), torch::ones({2, 2})).scalar_type();
}

TEST(Autocast, computes_products_in_bfloat16_while_it_lives) {
  EXPECT_EQ(product_type(), torch::kFloat32);
  {
    const Autocast scope(true, torch::kCPU);
    EXPECT_EQ(product_type(), torch::kBFloat16);
  }
  EXPECT_EQ(product_type(), torch::kFloat32);
}

TEST(Autocast, does_nothing_unless_wanted) {
  const Autocast scope(false, torch::kCPU);
  EXPECT_EQ(product_type(), torch::kFloat32);
}

TEST(Autocast, leaves_an_outer_scope_as_it_was) {
  const Autocast outer(true, torch::kCPU);
  { const Autocast inner(true, torch::kCPU); }
  EXPECT_EQ(product_type(), torch::kBFloat16);
  { const Autocast unwanted(false, torch::kCPU); }
  EXPECT_EQ(product_type(), torch::kBFloat16);
}

TEST(Autocast, leaves_sums_and_weights_alone) {
  const Tensor weight = torch::full({2, 2}, 1.0 / 3).requires_grad_(true);
  {
    const Autocast scope(true, torch::kCPU);
    EXPECT_EQ(weight.sum().scalar_type(), torch::kFloat32);
    EXPECT_EQ((weight + weight).scalar_type(), torch::kFloat32);
    torch::matmul(torch::ones({2, 2}), weight).to(torch::kFloat32).sum().backward();
  }
  EXPECT_EQ(weight.scalar_type(), torch::kFloat32);
  EXPECT_EQ(weight.grad().scalar_type(), torch::kFloat32);
  EXPECT_TRUE(close(weight.grad(), torch::full({2, 2}, 2.0), 1e-6));
}

TEST(Autocast, forgets_casts_of_weights_that_changed_since) {
  const Tensor weight = torch::ones({2, 2}).requires_grad_(true);
  const auto product = [&] {
    const Autocast scope(true, torch::kCPU);
    return torch::matmul(torch::ones({2, 2}), weight).to(torch::kFloat32).detach();
  };
  EXPECT_TRUE(torch::equal(product(), torch::full({2, 2}, 2.0)));
  {
    const torch::NoGradGuard guard;
    weight.fill_(3);
  }
  EXPECT_TRUE(torch::equal(product(), torch::full({2, 2}, 6.0)));
}

TEST(Autocast, is_a_matter_of_one_thread) {
  const Autocast scope(true, torch::kCPU);
  torch::ScalarType elsewhere = torch::kFloat64;
  std::thread([&] { elsewhere = product_type(); }).join();
  EXPECT_EQ(elsewhere, torch::kFloat32);
}

}  // namespace
}  // namespace eqm::test
