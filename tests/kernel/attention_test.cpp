// Fused attention against its plain twin.
#include <gtest/gtest.h>

#include "eqm/kernel/ops.h"
#include "eqm/kernel/plain.h"
#include "tests/support/every_target.h"
#include "tests/support/normal.h"
#include "tests/support/twins.h"

namespace eqm::test {
namespace {

TEST(FusedAttention, attention_matches_its_plain_twin) {
  for (const Sizes& s : kSizes) {
    for (const int64_t heads : {1, 3}) {
      expect_twins([&](const Tensors& t) { return kernel::attention(t[0], heads); },
                   [&](const Tensors& t) { return kernel::plain::attention(t[0], heads); },
                   {normal(1, {s.batch, s.tokens, 3 * heads * s.width})}, text(s));
    }
  }
}

TEST(FusedAttention, attention_over_many_tokens_goes_block_by_block) {
  // Longer than one block of rows in both passes, on every instruction set.
  expect_twins([](const Tensors& t) { return kernel::attention(t[0], 1); },
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

}  // namespace
}  // namespace eqm::test
