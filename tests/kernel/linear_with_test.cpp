// Linear maps and what follows them, fused, against their reference implementations.
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include "eqm/kernel/dispatch.h"
#include "eqm/kernel/ops.h"
#include "eqm/kernel/plain.h"
#include "tests/support/against_reference.h"
#include "tests/support/every_target.h"
#include "tests/support/golden.h"
#include "tests/support/normal.h"

namespace eqm::test {
namespace {

TEST(FusedLinear, linear_matches_its_reference) {
  kernel::PackedWeight packed;  // outlives changes of weight and instruction set
  for (const Sizes& s : kSizes) {
    for (const int64_t out : {s.width, 2 * s.width + 3}) {
      expect_matches_reference(
          [&](const Tensors& t) {
            return kernel::linear(t[0], {t[1], t[2], &packed});
          },
          [](const Tensors& t) { return kernel::plain::linear(t[0], t[1], t[2]); },
          {normal(1, {s.batch, s.tokens, s.width}), normal(2, {out, s.width}), normal(3, {out})},
          text(s));
    }
  }
}

TEST(FusedLinear, linear_without_packed_weight_or_bias_matches_too) {
  expect_matches_reference(
      [](const Tensors& t) {
        return kernel::linear(t[0], {t[1], {}});
      },
      [](const Tensors& t) { return kernel::plain::linear(t[0], t[1], {}); },
      {normal(1, {3, 33, 9}), normal(2, {37, 9})}, "33 rows");
}

TEST(FusedLinear, linear_gelu_matches_its_reference) {
  kernel::PackedWeight packed;
  for (const Sizes& s : kSizes) {
    const int64_t out = s.width + 2;
    expect_matches_reference(
        [&](const Tensors& t) {
          return kernel::linear_gelu(t[0], {t[1], t[2], &packed});
        },
        [](const Tensors& t) { return kernel::plain::linear_gelu(t[0], t[1], t[2]); },
        {normal(1, {s.batch, s.tokens, s.width}),
         normal(2, {out, s.width}) / std::sqrt(static_cast<double>(s.width)), normal(3, {out})},
        text(s));
  }
}

TEST(FusedLinear, gated_residual_matches_its_reference) {
  for (const Sizes& s : kSizes) {
    expect_matches_reference(
        [](const Tensors& t) { return kernel::gated_residual(t[0], t[1], t[2]); },
        [](const Tensors& t) { return kernel::plain::gated_residual(t[0], t[1], t[2]); },
        {normal(1, {s.batch, s.tokens, s.width}), normal(2, {s.batch, s.tokens, s.width}),
         normal(3, {s.batch, s.width})},
        text(s));
  }
}

TEST(FusedLinear, linear_gated_matches_its_reference) {
  kernel::PackedWeight packed;
  for (const Sizes& s : kSizes) {
    expect_matches_reference(
        [&](const Tensors& t) {
          return kernel::linear_gated(t[0], t[1], {t[2], t[3], &packed}, t[4]);
        },
        [](const Tensors& t) { return kernel::plain::linear_gated(t[0], t[1], t[2], t[3], t[4]); },
        {normal(1, {s.batch, s.tokens, s.width}), normal(2, {s.batch, s.tokens, 7}),
         normal(3, {s.width, 7}), normal(4, {s.width}), normal(5, {s.batch, s.width})},
        text(s));
  }
}

TEST(FusedLinear, mlp_gated_matches_its_reference) {
  kernel::PackedWeight packed1, packed2;
  for (const Sizes& s : kSizes) {
    const int64_t hidden = 2 * s.width + 3;
    expect_matches_reference(
        [&](const Tensors& t) {
          return kernel::mlp_gated(t[0], t[1], {t[2], t[3], &packed1}, {t[4], t[5], &packed2},
                                   t[6]);
        },
        [](const Tensors& t) {
          return kernel::plain::mlp_gated(t[0], t[1], t[2], t[3], t[4], t[5], t[6]);
        },
        {normal(1, {s.batch, s.tokens, s.width}), normal(2, {s.batch, s.tokens, s.width}),
         normal(3, {hidden, s.width}) / std::sqrt(static_cast<double>(s.width)),
         normal(4, {hidden}), normal(5, {s.width, hidden}), normal(6, {s.width}),
         normal(7, {s.batch, s.width})},
        text(s));
  }
}

// Inputs that are computed from each other: no way may be counted twice.
TEST(FusedLinear, mlp_gated_of_a_norm_of_its_residual_matches_its_reference) {
  kernel::PackedWeight packed1, packed2;
  const int64_t width = 12, hidden = 20;
  expect_matches_reference(
      [&](const Tensors& t) {
        const Tensor x = kernel::layer_norm_modulate(t[0], t[1], t[1]);
        return kernel::mlp_gated(t[0], x, {t[2], t[3], &packed1}, {t[4], t[5], &packed2}, t[1]);
      },
      [](const Tensors& t) {
        const Tensor x = kernel::plain::layer_norm_modulate(t[0], t[1], t[1]);
        return kernel::plain::mlp_gated(t[0], x, t[2], t[3], t[4], t[5], t[1]);
      },
      {normal(1, {2, 7, width}), normal(2, {2, width}), normal(3, {hidden, width}) / 3,
       normal(4, {hidden}), normal(5, {width, hidden}) / 4, normal(6, {width})},
      "x of h");
}

TEST(FusedLinear, mlp_gated_hands_back_only_what_is_wanted) {
  const Tensors inputs = {normal(1, {2, 7, 12}), normal(2, {2, 7, 9}), normal(3, {20, 9}),
                          normal(4, {20}),       normal(5, {12, 20}),  normal(6, {12}),
                          normal(7, {2, 12})};
  const auto gradients = [&](torch::ScalarType type, const std::set<size_t>& wanted) {
    Tensors t;
    for (size_t i = 0; i < inputs.size(); ++i) {
      t.push_back(inputs[i].to(type).detach().requires_grad_(wanted.count(i) > 0));
    }
    kernel::PackedWeight packed1, packed2;
    kernel::mlp_gated(t[0], t[1], {t[2], t[3], &packed1}, {t[4], t[5], &packed2}, t[6])
        .square()
        .sum()
        .backward();
    return t;
  };
  for (const std::set<size_t>& wanted :
       {std::set<size_t>{0}, {1}, {2}, {3}, {4}, {5}, {6}, {2, 4}, {3, 5}, {1, 6}}) {
    const Tensors ours = gradients(torch::kFloat32, wanted);
    const Tensors exact = gradients(torch::kFloat64, wanted);
    for (size_t i = 0; i < inputs.size(); ++i) {
      ASSERT_EQ(ours[i].grad().defined(), exact[i].grad().defined()) << i;
      if (exact[i].grad().defined()) {
        EXPECT_TRUE(close(ours[i].grad(), exact[i].grad(), kClose)) << i;
      }
    }
  }
}

TEST(FusedLinear, mlp_gated_refuses_shapes_that_do_not_fit_as_its_reference_does) {
  kernel::PackedWeight packed1, packed2;
  const auto run = [&](const Shape& h, const Shape& x, const Shape& w1, int64_t b1, const Shape& w2,
                       int64_t b2) {
    const Tensor first = torch::ones(w1), bias1 = torch::ones({b1}), second = torch::ones(w2),
                 bias2 = torch::ones({b2});
    return kernel::mlp_gated(torch::ones(h), torch::ones(x), {first, bias1, &packed1},
                             {second, bias2, &packed2}, torch::ones({h[0], h[2]}));
  };
  EXPECT_NO_THROW(run({2, 5, 8}, {2, 5, 8}, {12, 8}, 12, {8, 12}, 8));
  EXPECT_ANY_THROW(run({2, 5, 8}, {2, 6, 8}, {12, 8}, 12, {8, 12}, 8)) << "other rows";
  EXPECT_ANY_THROW(run({2, 5, 8}, {2, 5, 9}, {12, 8}, 12, {8, 12}, 8)) << "another width of x";
  EXPECT_ANY_THROW(run({2, 5, 8}, {2, 5, 8}, {12, 8}, 11, {8, 12}, 8)) << "a short bias";
  EXPECT_ANY_THROW(run({2, 5, 8}, {2, 5, 8}, {12, 8}, 12, {8, 13}, 8)) << "another hidden width";
  EXPECT_ANY_THROW(run({2, 5, 8}, {2, 5, 8}, {12, 8}, 12, {9, 12}, 9)) << "a wider result";
}

TEST(FusedLinear, linear_image_matches_its_reference) {
  kernel::PackedWeight packed;
  struct Picture {
    int64_t batch, grid, patch, channels, width;
  };
  // Rows of one image and of several in a tile; columns that fill no vector and several tiles.
  for (const Picture& p : {Picture{1, 1, 1, 1, 1},
                           {2, 3, 2, 3, 5},
                           {3, 7, 4, 1, 48},
                           {2, 4, 2, 8, 33},
                           {1, 5, 8, 3, 9}}) {
    const int64_t out = p.patch * p.patch * p.channels;
    expect_matches_reference(
        [&](const Tensors& t) {
          return kernel::linear_image(t[0], {t[1], t[2], &packed}, p.patch, p.channels);
        },
        [&](const Tensors& t) {
          return kernel::unpatchify(kernel::plain::linear(t[0], t[1], t[2]), p.patch, p.channels);
        },
        {normal(1, {p.batch, p.grid * p.grid, p.width}), normal(2, {out, p.width}),
         normal(3, {out})},
        fmt::format("grid {}, patch {}, channels {}", p.grid, p.patch, p.channels));
  }
}

TEST(FusedLinear, what_follows_a_map_needs_no_bias) {
  const Tensor x = normal(1, {2, 4, 6}).to(torch::kFloat32), h = torch::zeros({2, 4, 8}),
               w = normal(2, {8, 6}).to(torch::kFloat32), gate = torch::ones({2, 8}), none;
  const Tensor y = kernel::plain::linear(x, w, none).to(torch::kFloat64);
  EXPECT_TRUE(close(kernel::linear_gelu(x, {w, none}), torch::gelu(y, "tanh"), kClose));
  EXPECT_TRUE(close(kernel::linear_gated(h, x, {w, none}, gate), y, kClose));
  EXPECT_TRUE(close(kernel::linear_image(x, {w, none}, 2, 2), kernel::unpatchify(y, 2, 2), kClose));
  const Tensor up = normal(3, {5, 6}).to(torch::kFloat32), down = torch::ones({8, 5});
  EXPECT_TRUE(close(kernel::mlp_gated(h, x, {up, none}, {down, none}, gate),
                    kernel::plain::mlp_gated(h, x, up, none, down, none, gate).to(torch::kFloat64),
                    kClose));
}

TEST(FusedLinear, linear_image_refuses_tokens_that_make_no_square) {
  const Tensor w = torch::ones({4, 3}), bias = torch::ones({4});
  EXPECT_ANY_THROW(kernel::linear_image(torch::ones({2, 50, 3}), {w, bias}, 2, 1));
  EXPECT_ANY_THROW(kernel::linear_image(torch::ones({2, 49, 3}), {w, bias}, 2, 3));
}

TEST(FusedLinear, a_row_is_the_same_in_any_batch) {
  const kernel::PathScope fused(kernel::Path::fused);  // whatever EQM_KERNELS says
  const Tensor weight = normal(1, {96, 50}).to(torch::kFloat32);
  const Tensor bias = normal(2, {96}).to(torch::kFloat32);
  const Tensor x = normal(3, {9, 5, 50}).to(torch::kFloat32);
  const Tensor qkv = normal(4, {9, 5, 96}).to(torch::kFloat32);
  kernel::PackedWeight packed;
  on_every_target([&] {
    const Tensor all = kernel::linear_gelu(x, {weight, bias, &packed});
    const Tensor attended = kernel::attention(qkv, 2);
    const Tensor mapped = kernel::linear(x, {weight, bias});
    for (int64_t i = 0; i < x.size(0); ++i) {
      const Tensor one = kernel::linear_gelu(x.narrow(0, i, 1), {weight, bias, &packed});
      EXPECT_TRUE(torch::equal(one[0], all[i]));
      EXPECT_TRUE(torch::equal(kernel::linear(x.narrow(0, i, 1), {weight, bias})[0], mapped[i]));
      EXPECT_TRUE(torch::equal(kernel::attention(qkv.narrow(0, i, 1), 2)[0], attended[i]));
    }
  });
}

TEST(FusedLinear, gelu_of_the_largest_numbers_is_theirs_or_zero) {
  on_every_target([] {
    const Tensor x = torch::tensor({-3e38f, -100.f, -10.f, 0.f, 10.f, 100.f, 3e38f}).unsqueeze(1);
    const Tensor one = torch::ones({1, 1}), zero = torch::zeros({1});
    kernel::PackedWeight packed;
    const Tensor y = kernel::linear_gelu(x, {one, zero, &packed});
    EXPECT_TRUE(close_absolute(y / x.abs().clamp_min(1), (x > 0).to(torch::kFloat64), 1e-30));
    EXPECT_TRUE((y.index({x < -20}) == 0).all().item<bool>()) << y;
    const Tensor far = torch::tensor({-1e4f, -1e8f, -1e12f}).unsqueeze(1).requires_grad_(true);
    const auto slope = torch::autograd::grad({kernel::linear_gelu(far, {one, zero, &packed}).sum()},
                                             {far}, {}, true, /*create_graph=*/true)[0];
    EXPECT_TRUE((slope == 0).all().item<bool>()) << slope;
  });
}

TEST(FusedLinear, gelu_is_right_to_the_last_digits_and_keeps_what_is_no_number) {
  const kernel::PathScope fused(kernel::Path::fused);  // whatever EQM_KERNELS says
  on_every_target([] {
    const Tensor x = torch::arange(-12.0, 12.0, 1.0 / 256, torch::kFloat32).unsqueeze(1);
    const Tensor one = torch::ones({1, 1}), zero = torch::zeros({1});
    kernel::PackedWeight packed;
    const Tensor exact = torch::gelu(x.to(torch::kFloat64), "tanh");
    const Tensor error = (kernel::linear_gelu(x, {one, zero, &packed}) - exact).abs();
    // The argument of the exponential is as large as ten, and its last digit with it.
    EXPECT_LT((error / (exact.abs() + 1e-3)).max().item<double>(), 1e-6);
    const Tensor none = torch::full({1, 1}, std::numeric_limits<float>::quiet_NaN());
    EXPECT_TRUE(kernel::linear_gelu(none, {one, zero, &packed}).isnan().all().item<bool>());
  });
}

}  // namespace
}  // namespace eqm::test
