// The fused operators in float32 against their plain twins in float64, on every instruction set:
// values, gradients and second derivatives, over sizes that fit no vector and storage that fits no
// alignment.
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include "eqm/kernel/choice.h"
#include "eqm/kernel/ops.h"
#include "eqm/kernel/plain.h"
#include "eqm/kernel/products.h"
#include "eqm/tensor/noise_tensor.h"
#include "tests/support/every_target.h"
#include "tests/support/golden.h"
#include "tests/support/normal.h"

namespace eqm::test {
namespace {

// Measured: 3e-6 at worst over these sizes (an e^x of scores near 20); products alone stay below
// 5e-7.
constexpr double kClose = 1e-5;

using Tensors = std::vector<Tensor>;
using Operator = std::function<Tensor(const Tensors&)>;

// Contiguous, one float away from any alignment.
Tensor misaligned(const Tensor& t) {
  const Tensor memory = torch::empty({t.numel() + 1}, torch::kFloat32);
  return memory.narrow(0, 1, t.numel()).view(t.sizes()).copy_(t);
}

Tensors leaves(const Tensors& values, const std::function<Tensor(const Tensor&)>& place) {
  Tensors result;
  for (const Tensor& value : values) {
    result.push_back(place(value).detach().requires_grad_(true));
  }
  return result;
}

struct Derivatives {
  Tensor value;
  Tensors first, second;  // of a weighted sum of the values; of a weighted sum of the gradients
};

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

void expect_twins(const Operator& fused, const Operator& plain, const Tensors& inputs,
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

struct Sizes {
  int64_t batch, tokens, width;
};
// One of everything; odd ones; more rows than a strip; more columns than a panel; exact multiples.
constexpr Sizes kSizes[] = {{1, 1, 1},   {2, 3, 5},   {1, 13, 33}, {3, 7, 13},
                            {2, 29, 48}, {1, 40, 64}, {5, 1, 31}};

std::string text(const Sizes& s) {
  return fmt::format("batch {}, tokens {}, width {}", s.batch, s.tokens, s.width);
}

TEST(Fused, linear_matches_its_plain_twin) {
  kernel::PackedWeight packed;  // outlives changes of weight and instruction set
  for (const Sizes& s : kSizes) {
    for (const int64_t out : {s.width, 2 * s.width + 3}) {
      expect_twins(
          [&](const Tensors& t) { return kernel::linear(t[0], t[1], t[2], &packed); },
          [](const Tensors& t) { return kernel::plain::linear(t[0], t[1], t[2]); },
          {normal(1, {s.batch, s.tokens, s.width}), normal(2, {out, s.width}), normal(3, {out})},
          text(s));
    }
  }
}

TEST(Fused, linear_without_panels_or_bias_matches_too) {
  expect_twins([](const Tensors& t) { return kernel::linear(t[0], t[1], {}); },
               [](const Tensors& t) { return kernel::plain::linear(t[0], t[1], {}); },
               {normal(1, {3, 33, 9}), normal(2, {37, 9})}, "33 rows");
}

TEST(Fused, linear_gelu_matches_its_plain_twin) {
  kernel::PackedWeight packed;
  for (const Sizes& s : kSizes) {
    const int64_t out = s.width + 2;
    expect_twins(
        [&](const Tensors& t) { return kernel::linear_gelu(t[0], t[1], t[2], &packed); },
        [](const Tensors& t) { return kernel::plain::linear_gelu(t[0], t[1], t[2]); },
        {normal(1, {s.batch, s.tokens, s.width}),
         normal(2, {out, s.width}) / std::sqrt(static_cast<double>(s.width)), normal(3, {out})},
        text(s));
  }
}

TEST(Fused, layer_norm_modulate_matches_its_plain_twin) {
  for (const Sizes& s : kSizes) {
    if (s.width == 1) continue;  // one number has no deviation: only eps is left
    expect_twins(
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

TEST(Fused, branch_off_adds_the_gradients_of_both_ways) {
  for (const Sizes& s : kSizes) {
    if (s.width == 1) continue;
    expect_twins(
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

TEST(Fused, branch_off_has_gradients_of_one_way_alone) {
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

TEST(Fused, attention_matches_its_plain_twin) {
  for (const Sizes& s : kSizes) {
    for (const int64_t heads : {1, 3}) {
      expect_twins([&](const Tensors& t) { return kernel::attention(t[0], heads); },
                   [&](const Tensors& t) { return kernel::plain::attention(t[0], heads); },
                   {normal(1, {s.batch, s.tokens, 3 * heads * s.width})}, text(s));
    }
  }
}

TEST(Fused, attention_over_many_tokens_goes_block_by_block) {
  // Longer than one block of rows in both passes, on every instruction set.
  expect_twins([](const Tensors& t) { return kernel::attention(t[0], 1); },
               [](const Tensors& t) { return kernel::plain::attention(t[0], 1); },
               {normal(1, {1, 700, 3 * 5})}, "700 tokens");
}

TEST(Fused, gated_residual_matches_its_plain_twin) {
  for (const Sizes& s : kSizes) {
    expect_twins([](const Tensors& t) { return kernel::gated_residual(t[0], t[1], t[2]); },
                 [](const Tensors& t) { return kernel::plain::gated_residual(t[0], t[1], t[2]); },
                 {normal(1, {s.batch, s.tokens, s.width}), normal(2, {s.batch, s.tokens, s.width}),
                  normal(3, {s.batch, s.width})},
                 text(s));
  }
}

TEST(Fused, linear_gated_matches_its_plain_twin) {
  kernel::PackedWeight packed;
  for (const Sizes& s : kSizes) {
    expect_twins(
        [&](const Tensors& t) {
          return kernel::linear_gated(t[0], t[1], t[2], t[3], t[4], &packed);
        },
        [](const Tensors& t) { return kernel::plain::linear_gated(t[0], t[1], t[2], t[3], t[4]); },
        {normal(1, {s.batch, s.tokens, s.width}), normal(2, {s.batch, s.tokens, 7}),
         normal(3, {s.width, 7}), normal(4, {s.width}), normal(5, {s.batch, s.width})},
        text(s));
  }
}

TEST(Fused, mlp_gated_matches_its_plain_twin) {
  kernel::PackedWeight packed1, packed2;
  for (const Sizes& s : kSizes) {
    const int64_t hidden = 2 * s.width + 3;
    expect_twins(
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
TEST(Fused, mlp_gated_of_a_norm_of_its_residual_matches_its_plain_twin) {
  kernel::PackedWeight packed1, packed2;
  const int64_t width = 12, hidden = 20;
  expect_twins(
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

TEST(Fused, mlp_gated_hands_back_only_what_is_wanted) {
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

TEST(Fused, mlp_gated_refuses_shapes_that_do_not_fit_as_its_twin_does) {
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

// Many blocks of rows, several parts of columns, depths of several passes, on more and fewer
// threads than there are parts.
TEST(Fused, products_are_the_same_however_they_are_divided) {
  const int threads_before = at::get_num_threads();
  kernel::PackedWeight packed1, packed2;
  const int64_t width = 72, hidden = 600;
  const Tensors inputs = {
      normal(1, {2, 301, width}), normal(2, {2, 301, width}),        normal(3, {hidden, width}) / 8,
      normal(4, {hidden}),        normal(5, {width, hidden}) / 24.0, normal(6, {width}),
      normal(7, {2, width})};
  const auto exact = derivatives(
      [](const Tensors& t) {
        return kernel::plain::mlp_gated(t[0], t[1], t[2], t[3], t[4], t[5], t[6]);
      },
      leaves(inputs, [](const Tensor& t) { return t.to(torch::kFloat64); }), false);
  on_every_target([&] {
    Tensors values;  // of one thread
    for (const int threads : {1, 2, 5, 7}) {
      at::set_num_threads(threads);
      const auto found = derivatives(
          [&](const Tensors& t) {
            return kernel::mlp_gated(t[0], t[1], {t[2], t[3], &packed1}, {t[4], t[5], &packed2},
                                     t[6]);
          },
          leaves(inputs, [](const Tensor& t) { return t.to(torch::kFloat32); }), false);
      EXPECT_TRUE(close(found.value, exact.value, kClose)) << threads;
      for (size_t i = 0; i < inputs.size(); ++i) {
        EXPECT_TRUE(close(found.first[i], exact.first[i], kClose)) << threads << ", input " << i;
      }
      if (values.empty()) values = {found.value, found.first[1], found.first[2], found.first[3]};
      EXPECT_TRUE(torch::equal(found.value, values[0])) << threads;
      EXPECT_TRUE(torch::equal(found.first[1], values[1])) << threads;
      EXPECT_TRUE(torch::equal(found.first[2], values[2])) << threads;
      EXPECT_TRUE(torch::equal(found.first[3], values[3])) << threads;
    }
    at::set_num_threads(threads_before);
  });
}

TEST(Fused, products_of_nothing_are_empty_or_zero) {
  const auto made = [](int64_t rows, int64_t columns) { return torch::ones({rows, columns}); };
  EXPECT_EQ(kernel::transposed_product(made(3, 2), made(3, 0)).sizes(), Shape({2, 0}));
  EXPECT_EQ(kernel::transposed_product(made(3, 0), made(3, 2)).sizes(), Shape({0, 2}));
  EXPECT_TRUE(
      torch::equal(kernel::transposed_product(made(0, 3), made(0, 2)), torch::zeros({3, 2})));
  EXPECT_EQ(kernel::product(made(0, 3), made(3, 2)).sizes(), Shape({0, 2}));
  EXPECT_EQ(kernel::product(made(3, 2), made(2, 0)).sizes(), Shape({3, 0}));
  EXPECT_TRUE(torch::equal(kernel::product(made(3, 0), made(0, 2)), torch::zeros({3, 2})));
  EXPECT_EQ(kernel::product_by_transpose(made(0, 3), made(2, 3), {}, nullptr).sizes(),
            Shape({0, 2}));
  EXPECT_EQ(kernel::product_by_transpose(made(3, 2), made(0, 2), {}, nullptr).sizes(),
            Shape({3, 0}));
}

TEST(Fused, linear_image_matches_its_plain_twin) {
  kernel::PackedWeight packed;
  struct Picture {
    int64_t batch, grid, patch, channels, width;
  };
  // Rows of one image and of several in a strip; columns that fill no vector and several panels.
  for (const Picture& p : {Picture{1, 1, 1, 1, 1},
                           {2, 3, 2, 3, 5},
                           {3, 7, 4, 1, 48},
                           {2, 4, 2, 8, 33},
                           {1, 5, 8, 3, 9}}) {
    const int64_t out = p.patch * p.patch * p.channels;
    expect_twins(
        [&](const Tensors& t) {
          return kernel::linear_image(t[0], t[1], t[2], p.patch, p.channels, &packed);
        },
        [&](const Tensors& t) {
          return kernel::unpatchify(kernel::plain::linear(t[0], t[1], t[2]), p.patch, p.channels);
        },
        {normal(1, {p.batch, p.grid * p.grid, p.width}), normal(2, {out, p.width}),
         normal(3, {out})},
        fmt::format("grid {}, patch {}, channels {}", p.grid, p.patch, p.channels));
  }
}

TEST(Fused, linear_image_refuses_tokens_that_make_no_square) {
  const Tensor w = torch::ones({4, 3}), bias = torch::ones({4});
  EXPECT_ANY_THROW(kernel::linear_image(torch::ones({2, 50, 3}), w, bias, 2, 1));
  EXPECT_ANY_THROW(kernel::linear_image(torch::ones({2, 49, 3}), w, bias, 2, 3));
}

TEST(Fused, large_weights_are_packed_for_the_call_and_not_kept) {
  const Tensor w = normal(1, {1500, 1400}).to(torch::kFloat32), bias = torch::ones({1500});
  kernel::PackedWeight packed;
  for (const int64_t rows : {1, 3, 40}) {
    const Tensor x = normal(2, {rows, 1400}).to(torch::kFloat32);
    const Tensor exact = torch::mm(x.to(torch::kFloat64), w.to(torch::kFloat64).t()) + 1;
    EXPECT_TRUE(close(kernel::linear(x, w, bias, &packed), exact, 1e-5)) << rows;
  }
}

TEST(Fused, products_over_a_long_depth_match) {
  // The weight's gradient sums over more rows than are taken at a time.
  expect_twins([](const Tensors& t) { return kernel::transposed_product(t[0], t[1]); },
               [](const Tensors& t) { return torch::mm(t[0].t(), t[1]); },
               {normal(1, {601, 14}), normal(2, {601, 35})}, "601 rows");
  expect_twins([](const Tensors& t) { return kernel::product(t[0], t[1]); },
               [](const Tensors& t) { return torch::mm(t[0], t[1]); },
               {normal(1, {15, 601}), normal(2, {601, 35})}, "depth 601");
}

TEST(Fused, a_row_is_the_same_in_any_batch) {
  const Tensor weight = normal(1, {96, 50}).to(torch::kFloat32);
  const Tensor bias = normal(2, {96}).to(torch::kFloat32);
  const Tensor x = normal(3, {9, 5, 50}).to(torch::kFloat32);
  const Tensor qkv = normal(4, {9, 5, 96}).to(torch::kFloat32);
  kernel::PackedWeight packed;
  on_every_target([&] {
    const Tensor all = kernel::linear_gelu(x, weight, bias, &packed);
    const Tensor attended = kernel::attention(qkv, 2);
    const Tensor mapped = kernel::linear(x, weight, bias);
    for (int64_t i = 0; i < x.size(0); ++i) {
      const Tensor one = kernel::linear_gelu(x.narrow(0, i, 1), weight, bias, &packed);
      EXPECT_TRUE(torch::equal(one[0], all[i]));
      EXPECT_TRUE(torch::equal(kernel::linear(x.narrow(0, i, 1), weight, bias)[0], mapped[i]));
      EXPECT_TRUE(torch::equal(kernel::attention(qkv.narrow(0, i, 1), 2)[0], attended[i]));
    }
  });
}

TEST(Fused, attention_survives_large_scores_and_shows_what_is_not_a_number) {
  on_every_target([] {
    const Tensor qkv = (1e3 * normal(1, {1, 5, 12})).to(torch::kFloat32);
    EXPECT_TRUE(kernel::attention(qkv, 2).isfinite().all().item<bool>());
    qkv[0][2][0] = std::numeric_limits<float>::quiet_NaN();  // of one query
    const Tensor out = kernel::attention(qkv, 2);
    EXPECT_TRUE(out[0][2].narrow(0, 0, 2).isnan().all().item<bool>());
    EXPECT_TRUE(out[0][1].isfinite().all().item<bool>());
  });
}

TEST(Fused, gelu_of_the_largest_numbers_is_theirs_or_zero) {
  on_every_target([] {
    const Tensor x = torch::tensor({-3e38f, -100.f, -10.f, 0.f, 10.f, 100.f, 3e38f}).unsqueeze(1);
    const Tensor one = torch::ones({1, 1}), zero = torch::zeros({1});
    kernel::PackedWeight packed;
    const Tensor y = kernel::linear_gelu(x, one, zero, &packed);
    EXPECT_TRUE(close_absolute(y / x.abs().clamp_min(1), (x > 0).to(torch::kFloat64), 1e-30));
    EXPECT_TRUE((y.index({x < -20}) == 0).all().item<bool>()) << y;
    const Tensor far = torch::tensor({-1e4f, -1e8f, -1e12f}).unsqueeze(1).requires_grad_(true);
    const auto slope = torch::autograd::grad({kernel::linear_gelu(far, one, zero, &packed).sum()},
                                             {far}, {}, true, /*create_graph=*/true)[0];
    EXPECT_TRUE((slope == 0).all().item<bool>()) << slope;
  });
}

TEST(Fused, gelu_is_right_to_the_last_digits_and_keeps_what_is_no_number) {
  on_every_target([] {
    const Tensor x = torch::arange(-12.0, 12.0, 1.0 / 256, torch::kFloat32).unsqueeze(1);
    const Tensor one = torch::ones({1, 1}), zero = torch::zeros({1});
    kernel::PackedWeight packed;
    const Tensor exact = torch::gelu(x.to(torch::kFloat64), "tanh");
    const Tensor error = (kernel::linear_gelu(x, one, zero, &packed) - exact).abs();
    // The argument of the exponential is as large as ten, and its last digit with it.
    EXPECT_LT((error / (exact.abs() + 1e-3)).max().item<double>(), 1e-6);
    const Tensor none = torch::full({1, 1}, std::numeric_limits<float>::quiet_NaN());
    EXPECT_TRUE(kernel::linear_gelu(none, one, zero, &packed).isnan().all().item<bool>());
  });
}

bool is_ours(const Tensor& t) {
  return t.grad_fn()->name().find("eqm") != std::string::npos;
}

TEST(Choice, takes_the_fused_path_for_float32_on_the_cpu_only) {
  const auto output = [](torch::ScalarType type, bool contiguous) {
    Tensor qkv = normal(1, {2, 12, 4}).to(type);
    qkv = contiguous ? qkv.transpose(1, 2).contiguous() : qkv.transpose(1, 2);
    return kernel::attention(qkv.requires_grad_(true), 2);
  };
  EXPECT_TRUE(is_ours(output(torch::kFloat32, true)));
  EXPECT_FALSE(is_ours(output(torch::kFloat64, true)));
  EXPECT_FALSE(is_ours(output(torch::kFloat32, false)));
  {
    const kernel::PathScope scope(kernel::Path::plain);
    EXPECT_FALSE(is_ours(output(torch::kFloat32, true)));
  }
  EXPECT_TRUE(is_ours(output(torch::kFloat32, true)));
}

}  // namespace
}  // namespace eqm::test
