// Every operator against a scalar reference over odd sizes and strides, and its derivatives.
#include "eqm/kernel/ops.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "eqm/tensor/noise_tensor.h"
#include "tests/support/golden.h"
#include "tests/support/normal.h"
#include "tests/support/numeric_jacobian.h"

namespace eqm::test {
namespace {

constexpr double kExact = 1e-13;  // two summation orders in double

// The same values in memory of another layout.
Tensor strided(const Tensor& t) {
  const Tensor other = t.transpose(0, -1).contiguous().transpose(0, -1);
  const Tensor wide = torch::stack({other, other + 1}, -1);
  return wide.select(-1, 0);
}

std::vector<Tensor> layouts(const Tensor& t) {
  return {t, strided(t)};
}

struct PlainSizes {
  int64_t batch, tokens, width;
};
constexpr PlainSizes kPlainSizes[] = {{1, 1, 1}, {2, 3, 5}, {3, 7, 13}, {1, 9, 33}, {5, 2, 8}};

double gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

// x [B, T, in], weight [out, in], bias [out]
Tensor plain_linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Tensor y = torch::zeros({x.size(0), x.size(1), weight.size(0)}, torch::kFloat64);
  const auto in = x.accessor<double, 3>();
  const auto w = weight.accessor<double, 2>();
  auto out = y.accessor<double, 3>();
  for (int64_t b = 0; b < x.size(0); ++b) {
    for (int64_t t = 0; t < x.size(1); ++t) {
      for (int64_t o = 0; o < weight.size(0); ++o) {
        double sum = bias[o].item<double>();
        for (int64_t i = 0; i < x.size(2); ++i) sum += w[o][i] * in[b][t][i];
        out[b][t][o] = sum;
      }
    }
  }
  return y;
}

Tensor plain_layer_norm_modulate(const Tensor& h, const Tensor& shift, const Tensor& scale) {
  const Tensor y = torch::zeros_like(h, torch::MemoryFormat::Contiguous);
  const auto in = h.accessor<double, 3>();
  const auto add = shift.accessor<double, 2>(), multiply = scale.accessor<double, 2>();
  auto out = y.accessor<double, 3>();
  const int64_t width = h.size(2);
  for (int64_t b = 0; b < h.size(0); ++b) {
    for (int64_t t = 0; t < h.size(1); ++t) {
      double mean = 0, variance = 0;
      for (int64_t i = 0; i < width; ++i) mean += in[b][t][i] / static_cast<double>(width);
      for (int64_t i = 0; i < width; ++i) {
        variance += std::pow(in[b][t][i] - mean, 2) / static_cast<double>(width);
      }
      for (int64_t i = 0; i < width; ++i) {
        const double normal_value = (in[b][t][i] - mean) / std::sqrt(variance + 1e-6);
        out[b][t][i] = normal_value * (1 + multiply[b][i]) + add[b][i];
      }
    }
  }
  return y;
}

Tensor plain_attention(const Tensor& qkv, int64_t heads) {
  const int64_t batch = qkv.size(0), tokens = qkv.size(1), width = qkv.size(2) / 3;
  const int64_t head = width / heads;
  const Tensor y = torch::zeros({batch, tokens, width}, torch::kFloat64);
  const auto in = qkv.accessor<double, 3>();
  auto out = y.accessor<double, 3>();
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t n = 0; n < heads; ++n) {
      for (int64_t t = 0; t < tokens; ++t) {
        std::vector<double> weights;
        double total = 0;
        for (int64_t s = 0; s < tokens; ++s) {
          double score = 0;
          for (int64_t i = 0; i < head; ++i) {
            score += in[b][t][n * head + i] * in[b][s][width + n * head + i];
          }
          weights.push_back(std::exp(score / std::sqrt(static_cast<double>(head))));
          total += weights.back();
        }
        for (int64_t s = 0; s < tokens; ++s) {
          for (int64_t i = 0; i < head; ++i) {
            out[b][t][n * head + i] +=
                weights[static_cast<size_t>(s)] / total * in[b][s][2 * width + n * head + i];
          }
        }
      }
    }
  }
  return y;
}

TEST(Ops, linear_matches_its_reference) {
  for (const auto& [batch, tokens, width] : kPlainSizes) {
    const Tensor weight = normal(2, {width + 2, width}), bias = normal(3, {width + 2});
    for (const Tensor& x : layouts(normal(1, {batch, tokens, width}))) {
      for (const Tensor& w : layouts(weight)) {
        EXPECT_TRUE(close(kernel::linear(x, {w, bias}), plain_linear(x, w, bias), kExact));
      }
    }
  }
}

TEST(Ops, linear_gelu_matches_its_reference) {
  for (const auto& [batch, tokens, width] : kPlainSizes) {
    const Tensor weight = normal(5, {width + 1, width}), bias = normal(6, {width + 1});
    for (const Tensor& x : layouts(normal(4, {batch, tokens, width}))) {
      Tensor expected = plain_linear(x, weight, bias);
      double* values = expected.data_ptr<double>();
      std::transform(values, values + expected.numel(), values, gelu_tanh);
      EXPECT_TRUE(close(kernel::linear_gelu(x, {weight, bias}), expected, kExact));
    }
  }
}

TEST(Ops, layer_norm_modulate_matches_its_reference) {
  for (const auto& [batch, tokens, width] : kPlainSizes) {
    const Tensor shift = normal(8, {batch, width}), scale = normal(9, {batch, width});
    for (const Tensor& h : layouts(3 + 2 * normal(7, {batch, tokens, width}))) {
      for (const Tensor& s : layouts(scale)) {
        // A single number has no deviation: its norm is all eps.
        EXPECT_TRUE(close_absolute(kernel::layer_norm_modulate(h, shift, s),
                                   plain_layer_norm_modulate(h, shift, s), 1e-11));
      }
    }
  }
}

TEST(Ops, layer_norm_of_equal_values_is_the_shift) {
  const Tensor h = torch::full({2, 3, 4}, 7.0, torch::kFloat64);
  const Tensor shift = normal(10, {2, 4}), scale = normal(11, {2, 4});
  EXPECT_TRUE(close_absolute(kernel::layer_norm_modulate(h, shift, scale),
                             shift.unsqueeze(1).expand({2, 3, 4}), 1e-10));
}

TEST(Ops, attention_matches_its_reference) {
  for (const auto& [batch, tokens, head] : kPlainSizes) {
    for (const int64_t heads : {1, 2, 3}) {
      for (const Tensor& qkv : layouts(normal(12, {batch, tokens, 3 * heads * head}))) {
        EXPECT_TRUE(close(kernel::attention(qkv, heads), plain_attention(qkv, heads), kExact))
            << batch << " " << tokens << " " << head << " " << heads;
      }
    }
  }
}

TEST(Ops, attention_survives_large_scores) {
  const Tensor qkv = 1e3 * normal(13, {1, 5, 12});
  EXPECT_TRUE(kernel::attention(qkv, 2).isfinite().all().item<bool>());
}

TEST(Ops, gated_residual_matches_its_reference) {
  for (const auto& [batch, tokens, width] : kPlainSizes) {
    const Tensor branch = normal(15, {batch, tokens, width}), gate = normal(16, {batch, width});
    for (const Tensor& h : layouts(normal(14, {batch, tokens, width}))) {
      const Tensor y = kernel::gated_residual(h, branch, gate);
      for (int64_t b = 0; b < batch; ++b) {
        for (int64_t t = 0; t < tokens; ++t) {
          EXPECT_TRUE(close(y[b][t], h[b][t] + gate[b] * branch[b][t], kExact));
        }
      }
    }
  }
}

TEST(Ops, patchify_puts_each_patch_in_a_row_channel_by_channel) {
  for (const auto& [patch, rows, columns, channels] : std::vector<std::array<int64_t, 4>>{
           {1, 3, 5, 2}, {2, 2, 3, 3}, {3, 1, 2, 1}, {4, 2, 2, 5}}) {
    for (const Tensor& image : layouts(normal(17, {2, channels, rows * patch, columns * patch}))) {
      const Tensor tokens = kernel::patchify(image, patch);
      ASSERT_EQ(tokens.sizes(), Shape({2, rows * columns, channels * patch * patch}));
      const auto in = image.accessor<double, 4>();
      const auto out = tokens.accessor<double, 3>();
      for (int64_t b = 0; b < 2; ++b) {
        for (int64_t y = 0; y < rows * patch; ++y) {
          for (int64_t x = 0; x < columns * patch; ++x) {
            for (int64_t c = 0; c < channels; ++c) {
              const int64_t token = y / patch * columns + x / patch;
              ASSERT_EQ(out[b][token][(c * patch + y % patch) * patch + x % patch], in[b][c][y][x]);
            }
          }
        }
      }
    }
  }
}

TEST(Ops, unpatchify_reads_patches_with_the_channel_last) {
  for (const auto& [patch, grid, channels] :
       std::vector<std::array<int64_t, 3>>{{1, 3, 2}, {2, 2, 3}, {3, 1, 1}, {4, 2, 5}}) {
    for (const Tensor& tokens : layouts(normal(18, {2, grid * grid, patch * patch * channels}))) {
      const Tensor image = kernel::unpatchify(tokens, patch, channels);
      ASSERT_EQ(image.sizes(), Shape({2, channels, grid * patch, grid * patch}));
      const auto in = tokens.accessor<double, 3>();
      const auto out = image.accessor<double, 4>();
      for (int64_t y = 0; y < grid * patch; ++y) {
        for (int64_t x = 0; x < grid * patch; ++x) {
          for (int64_t c = 0; c < channels; ++c) {
            const int64_t token = y / patch * grid + x / patch;
            ASSERT_EQ(out[1][c][y][x],
                      in[1][token][((y % patch) * patch + x % patch) * channels + c]);
          }
        }
      }
    }
  }
}

TEST(Ops, unpatchify_undoes_patchify_once_channels_are_moved_last) {
  for (const int64_t patch : {1, 2, 4}) {
    const int64_t channels = 3;
    const Tensor image = normal(19, {2, channels, 8, 8});
    const Tensor tokens = kernel::patchify(image, patch);
    const Tensor moved =
        tokens.reshape({2, -1, channels, patch * patch}).transpose(2, 3).flatten(2);
    EXPECT_TRUE(torch::equal(kernel::unpatchify(moved, patch, channels), image));
  }
}

TEST(Ops, first_and_second_derivatives_match_differences) {
  const Tensor x = normal(20, {2, 3, 4});
  const Tensor weight = normal(21, {5, 4}), bias = normal(22, {5});
  const Tensor shift = normal(23, {2, 4}), scale = normal(24, {2, 4});
  const Tensor qkv = 0.7 * normal(25, {1, 3, 12});
  const auto check = [](const char* name, const TensorFunction& f, const Tensor& at, bool curved) {
    EXPECT_TRUE(derivatives_agree(f, at)) << name;
    if (curved) {
      EXPECT_TRUE(second_derivatives_agree(f, at)) << name;
    }
  };
  check(
      "linear, x",
      [&](const Tensor& p) {
        return kernel::linear(p, {weight, bias});
      },
      x, false);
  check(
      "linear, weight",
      [&](const Tensor& p) {
        return kernel::linear(x, {p, bias});
      },
      weight, false);
  check(
      "gelu, x",
      [&](const Tensor& p) {
        return kernel::linear_gelu(p, {weight, bias});
      },
      x, true);
  check(
      "gelu, weight",
      [&](const Tensor& p) {
        return kernel::linear_gelu(x, {p, bias});
      },
      weight, true);
  check(
      "norm, h", [&](const Tensor& p) { return kernel::layer_norm_modulate(p, shift, scale); }, x,
      true);
  check(
      "norm, scale", [&](const Tensor& p) { return kernel::layer_norm_modulate(x, shift, p); },
      scale, false);
  check(
      "norm, shift", [&](const Tensor& p) { return kernel::layer_norm_modulate(x, p, scale); },
      shift, false);
  check(
      "attention", [&](const Tensor& p) { return kernel::attention(p, 2); }, qkv, true);
  check(
      "gate, gate", [&](const Tensor& p) { return kernel::gated_residual(x, x, p); }, scale, false);
  check(
      "gate, both", [&](const Tensor& p) { return kernel::gated_residual(p, p * p, scale); }, x,
      true);
  const Tensor image = normal(26, {1, 2, 4, 4});
  check(
      "patchify", [](const Tensor& p) { return kernel::patchify(p * p, 2); }, image, true);
  const Tensor tokens = normal(27, {1, 4, 8});
  check(
      "unpatchify", [](const Tensor& p) { return kernel::unpatchify(p * p, 2, 2); }, tokens, true);
}

TEST(NumericJacobian, finds_a_wrong_derivative) {
  // detach() hides half of the product rule from autograd.
  const TensorFunction wrong = [](const Tensor& p) { return p * p.detach(); };
  EXPECT_FALSE(derivatives_agree(wrong, normal(28, {3})));
  const TensorFunction wrong_twice = [](const Tensor& p) {
    return p * p * p.detach() + p.detach() * 0;
  };
  EXPECT_FALSE(second_derivatives_agree(wrong_twice, normal(29, {3})));
  EXPECT_TRUE(second_derivatives_agree([](const Tensor& p) { return p * p * p; }, normal(29, {3})));
}

}  // namespace
}  // namespace eqm::test
