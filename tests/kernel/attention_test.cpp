// Fused attention against its reference implementation.
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include "eqm/kernel/ops.h"
#include "eqm/kernel/plain.h"
#include "tests/support/against_reference.h"
#include "tests/support/every_target.h"
#include "tests/support/golden.h"
#include "tests/support/normal.h"

namespace eqm::test {
namespace {

TEST(FusedAttention, attention_matches_its_reference) {
  for (const Sizes& s : kSizes) {
    for (const int64_t heads : {1, 3}) {
      expect_matches_reference(
          [&](const Tensors& t) { return kernel::attention(t[0], heads); },
          [&](const Tensors& t) { return kernel::plain::attention(t[0], heads); },
          {normal(1, {s.batch, s.tokens, 3 * heads * s.width})}, text(s));
    }
  }
}

TEST(FusedAttention, attention_over_many_tokens_goes_block_by_block) {
  // Longer than one block of rows in both passes, on every instruction set.
  expect_matches_reference([](const Tensors& t) { return kernel::attention(t[0], 1); },
                           [](const Tensors& t) { return kernel::plain::attention(t[0], 1); },
                           {normal(1, {1, 700, 3 * 5})}, "700 tokens");
}

TEST(FusedAttention, attention_survives_large_scores_and_shows_what_is_not_a_number) {
  on_every_target([] {
    const Tensor qkv = (1e3 * normal(1, {1, 5, 12})).to(torch::kFloat32);
    EXPECT_TRUE(kernel::attention(qkv, 2).isfinite().all().item<bool>());
    qkv[0][2][0] = std::numeric_limits<float>::quiet_NaN();  // of one query
    const Tensor out = kernel::attention(qkv, 2);
    EXPECT_TRUE(out[0][2].narrow(0, 0, 2).isnan().all().item<bool>());
    EXPECT_TRUE(out[0][1].isfinite().all().item<bool>());
  });
}

TEST(FusedAttention, gradients_survive_scores_that_leave_one_token_only) {
  for (const double size : {30.0, 300.0}) {
    const Tensor qkv = size * normal(1, {2, 13, 24});
    const auto gradient = [&](torch::ScalarType type, const auto& attention) {
      const Tensor in = qkv.to(torch::kFloat32).to(type).requires_grad_(true);
      const Tensor out = attention(in);
      return torch::autograd::grad({out}, {in}, {normal(2, {2, 13, 8}).to(type)})[0];
    };
    const Tensor exact =
        gradient(torch::kFloat64, [](const Tensor& in) { return kernel::plain::attention(in, 2); });
    on_every_target([&] {
      const Tensor ours =
          gradient(torch::kFloat32, [](const Tensor& in) { return kernel::attention(in, 2); });
      EXPECT_TRUE(close(ours, exact, kClose)) << size;
    });
  }
}

TEST(FusedAttention, refuses_what_is_not_q_k_and_v_of_every_head) {
  EXPECT_ANY_THROW(kernel::attention(torch::ones({2, 8, 30}), 4));
  EXPECT_ANY_THROW(kernel::attention(torch::ones({2, 8, 10}), 3));
  EXPECT_ANY_THROW(kernel::attention(torch::ones({2, 2, 6, 3}), 1));
  EXPECT_ANY_THROW(kernel::attention(torch::ones({2, 8, 6}), 0));
}

}  // namespace
}  // namespace eqm::test
