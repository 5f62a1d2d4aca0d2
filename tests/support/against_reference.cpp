#include "tests/support/against_reference.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include "tests/support/every_target.h"
#include "tests/support/golden.h"
#include "tests/support/normal.h"

namespace eqm::test {
namespace {

// Contiguous, one float away from any alignment.
Tensor misaligned(const Tensor& t) {
  const Tensor memory = torch::empty({t.numel() + 1}, torch::kFloat32);
  return memory.narrow(0, 1, t.numel()).view(t.sizes()).copy_(t);
}

}  // namespace

Tensors leaves(const Tensors& values, const std::function<Tensor(const Tensor&)>& place) {
  Tensors result;
  for (const Tensor& value : values) {
    result.push_back(place(value).detach().requires_grad_(true));
  }
  return result;
}

Derivatives derivatives(const Operator& f, const Tensors& inputs, bool twice) {
  const Tensor value = f(inputs);
  const auto weight = [](const Tensor& like, uint64_t seed) {
    return normal(seed, like.sizes().vec()).to(like.options());
  };
  Derivatives result = {.value = value.detach(), .first = {}, .second = {}};
  result.first = torch::autograd::grad({value}, inputs, {weight(value, 1)}, true, twice);
  if (!twice) return result;
  Tensor sum = torch::zeros({}, value.options());
  for (const Tensor& gradient : result.first) {
    sum = sum + (gradient * weight(gradient, 2) + 0.5 * gradient.square()).sum();
  }
  result.second = torch::autograd::grad({sum}, inputs, {}, true, false, /*allow_unused=*/true);
  return result;
}

void expect_matches_reference(const Operator& fused, const Operator& plain, const Tensors& inputs,
                              const std::string& trace) {
  SCOPED_TRACE(trace);
  const auto wide = [](const Tensor& t) { return t.to(torch::kFloat64); };
  const Derivatives expected = derivatives(plain, leaves(inputs, wide), true);
  on_every_target([&] {
    for (const bool aligned : {true, false}) {
      const auto place = [&](const Tensor& t) {
        return aligned ? t.to(torch::kFloat32) : misaligned(t);
      };
      const Derivatives once = derivatives(fused, leaves(inputs, place), false);
      const Derivatives twice = derivatives(fused, leaves(inputs, place), true);
      {
        const torch::NoGradGuard guard;
        Tensors values;
        for (const Tensor& t : inputs) values.push_back(place(t));
        EXPECT_TRUE(torch::equal(fused(values), once.value)) << "another value without a graph";
      }
      EXPECT_TRUE(close(once.value, expected.value, kClose));
      for (size_t i = 0; i < inputs.size(); ++i) {
        EXPECT_TRUE(close(once.first[i], expected.first[i], kClose)) << "by input " << i;
        EXPECT_TRUE(close(twice.first[i], expected.first[i], kClose)) << "by input " << i;
        ASSERT_EQ(twice.second[i].defined(), expected.second[i].defined());
        if (expected.second[i].defined()) {
          EXPECT_TRUE(close(twice.second[i], expected.second[i], 4 * kClose)) << "by input " << i;
        }
      }
    }
  });
}

std::string text(const Sizes& s) {
  return fmt::format("batch {}, tokens {}, width {}", s.batch, s.tokens, s.width);
}

}  // namespace eqm::test
