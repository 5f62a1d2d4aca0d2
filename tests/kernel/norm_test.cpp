// Layer norm and modulation, fused, against their reference implementation.
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include "eqm/kernel/ops.h"
#include "eqm/kernel/plain.h"
#include "tests/support/against_reference.h"
#include "tests/support/golden.h"
#include "tests/support/normal.h"

namespace eqm::test {
namespace {

TEST(FusedNorm, layer_norm_modulate_matches_its_reference) {
  for (const Sizes& s : kSizes) {
    if (s.width == 1) continue;  // one number has no deviation: only eps is left
    expect_matches_reference(
        [](const Tensors& t) {
          const Tensors parts = t[1].chunk(2, 1);  // rows that are not next to each other
          return kernel::layer_norm_modulate(t[0], parts[0], parts[1]);
        },
        [](const Tensors& t) {
          const Tensors parts = t[1].chunk(2, 1);
          return kernel::plain::layer_norm_modulate(t[0], parts[0], parts[1]);
        },
        {2 * normal(1, {s.batch, s.tokens, s.width}) + 1, normal(2, {s.batch, 2 * s.width})},
        text(s));
  }
}

TEST(FusedNorm, branch_off_adds_the_gradients_of_both_ways) {
  for (const Sizes& s : kSizes) {
    if (s.width == 1) continue;
    expect_matches_reference(
        [](const Tensors& t) {
          const kernel::Branch way = kernel::branch_off(t[0], t[1], t[2]);
          return way.into.square() + way.past * t[0];
        },
        [](const Tensors& t) {
          return kernel::plain::layer_norm_modulate(t[0], t[1], t[2]).square() + t[0] * t[0];
        },
        {2 * normal(1, {s.batch, s.tokens, s.width}) + 1, normal(2, {s.batch, s.width}),
         normal(3, {s.batch, s.width})},
        text(s));
  }
}

TEST(FusedNorm, branch_off_has_gradients_of_one_way_alone) {
  const Tensor h = normal(1, {2, 7, 13}).to(torch::kFloat32).requires_grad_(true);
  const Tensor zero = torch::zeros({2, 13}).requires_grad_(true);
  for (const bool twice : {false, true}) {
    const Tensors past = torch::autograd::grad({kernel::branch_off(h, zero, zero).past.sum()},
                                               {h, zero}, {}, true, twice, /*allow_unused=*/true);
    EXPECT_TRUE(torch::equal(past[0], torch::ones_like(h)));
    EXPECT_FALSE(past[1].defined());
    const Tensors into = torch::autograd::grad({kernel::branch_off(h, zero, zero).into.sum()},
                                               {h, zero}, {}, true, twice);
    EXPECT_TRUE(close_absolute(into[0], torch::zeros_like(h), 1e-5));
    EXPECT_FALSE(torch::equal(into[1], torch::zeros_like(zero)));
  }
}

TEST(FusedNorm, branch_off_takes_gradients_of_any_layout_and_inputs_that_need_none) {
  const Tensor h = normal(1, {2, 7, 13}).to(torch::kFloat32);
  const Tensor shift = normal(2, {2, 13}).to(torch::kFloat32).requires_grad_(true);
  for (const bool wanted : {true, false}) {
    const Tensor start = h.detach().requires_grad_(wanted);
    const kernel::Branch way = kernel::branch_off(start, shift, shift);
    const Tensor plain = kernel::plain::layer_norm_modulate(start, shift, shift);
    // Gradients of sums are one number, seen everywhere.
    for (const bool twice : {false, true}) {
      const Tensors inputs = wanted ? Tensors{shift, start} : Tensors{shift};
      const Tensors found = torch::autograd::grad({way.into.square().sum() + way.past.sum()},
                                                  inputs, {}, true, twice);
      const Tensors expected =
          torch::autograd::grad({plain.square().sum() + start.sum()}, inputs, {}, true);
      for (size_t i = 0; i < inputs.size(); ++i) {
        EXPECT_TRUE(close(found[i], expected[i].to(torch::kFloat64), kClose)) << i;
      }
    }
  }
}

}  // namespace
}  // namespace eqm::test
