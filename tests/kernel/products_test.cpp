// Products of matrices, however they are divided among threads and instruction sets.
#include "eqm/kernel/products.h"

#include <gtest/gtest.h>

#include "eqm/kernel/dispatch.h"
#include "eqm/kernel/ops.h"
#include "eqm/kernel/plain.h"
#include "tests/support/against_reference.h"
#include "tests/support/every_target.h"
#include "tests/support/golden.h"
#include "tests/support/normal.h"

namespace eqm::test {
namespace {

// Many blocks of rows, several parts of columns, depths of several passes, on more and fewer
// threads than there are parts.
TEST(Products, products_are_the_same_however_they_are_divided) {
  const kernel::PathScope fused(kernel::Path::fused);  // whatever EQM_KERNELS says
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
      Tensors now = {found.value};
      for (size_t i = 1; i < 6; ++i) now.push_back(found.first[i]);  // not the gate's: sums by part
      if (values.empty()) values = now;
      for (size_t i = 0; i < now.size(); ++i) {
        EXPECT_TRUE(torch::equal(now[i], values[i])) << threads << ", " << i;
      }
    }
    at::set_num_threads(threads_before);
  });
}

// Six threads divide this one by rows and by columns.
TEST(Products, weight_gradients_are_the_same_on_any_number_of_threads) {
  const kernel::PathScope fused(kernel::Path::fused);  // whatever EQM_KERNELS says
  const int threads_before = at::get_num_threads();
  const Tensor g = normal(1, {601, 200}), x = normal(2, {601, 200});
  const Tensor exact = torch::mm(g.t(), x);
  const Tensor g32 = g.to(torch::kFloat32), x32 = x.to(torch::kFloat32);
  on_every_target([&] {
    at::set_num_threads(1);
    const Tensor alone = kernel::gemm_tn(g32, x32);
    EXPECT_TRUE(close(alone, exact, kClose));
    for (const int threads : {2, 3, 4, 6, 9, 40}) {
      at::set_num_threads(threads);
      for (int again = 0; again < 3; ++again) {
        EXPECT_TRUE(torch::equal(kernel::gemm_tn(g32, x32), alone)) << threads;
      }
    }
    at::set_num_threads(threads_before);
  });
}

TEST(Products, factors_that_do_not_fit_are_refused) {
  const auto made = [](int64_t rows, int64_t columns) { return torch::ones({rows, columns}); };
  EXPECT_ANY_THROW(kernel::gemm_nn(made(3, 4), made(50, 6)));
  EXPECT_ANY_THROW(kernel::gemm_tn(made(3, 4), made(50, 6)));
  EXPECT_ANY_THROW(kernel::gemm_nt(made(3, 4), made(6, 5), {}, nullptr));
  EXPECT_ANY_THROW(kernel::gemm_nt(made(3, 4), made(6, 4), torch::ones({2}), nullptr));
  const Tensor bias = torch::ones({2, 3}), weight = made(6, 4);
  EXPECT_ANY_THROW(kernel::linear(made(3, 4), {weight, bias}));
}

TEST(Products, products_of_nothing_are_empty_or_zero) {
  const auto made = [](int64_t rows, int64_t columns) { return torch::ones({rows, columns}); };
  EXPECT_EQ(kernel::gemm_tn(made(3, 2), made(3, 0)).sizes(), Shape({2, 0}));
  EXPECT_EQ(kernel::gemm_tn(made(3, 0), made(3, 2)).sizes(), Shape({0, 2}));
  EXPECT_TRUE(torch::equal(kernel::gemm_tn(made(0, 3), made(0, 2)), torch::zeros({3, 2})));
  EXPECT_EQ(kernel::gemm_nn(made(0, 3), made(3, 2)).sizes(), Shape({0, 2}));
  EXPECT_EQ(kernel::gemm_nn(made(3, 2), made(2, 0)).sizes(), Shape({3, 0}));
  EXPECT_TRUE(torch::equal(kernel::gemm_nn(made(3, 0), made(0, 2)), torch::zeros({3, 2})));
  EXPECT_EQ(kernel::gemm_nt(made(0, 3), made(2, 3), {}, nullptr).sizes(), Shape({0, 2}));
  EXPECT_EQ(kernel::gemm_nt(made(3, 2), made(0, 2), {}, nullptr).sizes(), Shape({3, 0}));
}

TEST(Products, large_weights_are_packed_for_the_call_and_not_kept) {
  const Tensor w = normal(1, {1500, 1400}).to(torch::kFloat32), bias = torch::ones({1500});
  kernel::PackedWeight packed;
  for (const int64_t rows : {1, 3, 40}) {
    const Tensor x = normal(2, {rows, 1400}).to(torch::kFloat32);
    const Tensor exact = torch::mm(x.to(torch::kFloat64), w.to(torch::kFloat64).t()) + 1;
    EXPECT_TRUE(close(kernel::linear(x, {w, bias, &packed}), exact, 1e-5)) << rows;
  }
}

TEST(Products, a_row_of_a_weight_may_be_longer_than_what_is_packed_at_once) {
  const Tensor x = torch::ones({2, 1'000'003}), w = torch::full({40, 1'000'003}, 0.5f);
  EXPECT_TRUE(close(kernel::gemm_nt(x, w, {}, nullptr),
                    torch::full({2, 40}, 500'001.5, torch::kFloat64), 1e-4));
}

TEST(Products, products_over_a_long_depth_match) {
  // The weight's gradient sums over more rows than are taken at a time.
  expect_matches_reference([](const Tensors& t) { return kernel::gemm_tn(t[0], t[1]); },
                           [](const Tensors& t) { return torch::mm(t[0].t(), t[1]); },
                           {normal(1, {601, 14}), normal(2, {601, 35})}, "601 rows");
  expect_matches_reference([](const Tensors& t) { return kernel::gemm_nn(t[0], t[1]); },
                           [](const Tensors& t) { return torch::mm(t[0], t[1]); },
                           {normal(1, {15, 601}), normal(2, {601, 35})}, "depth 601");
}

}  // namespace
}  // namespace eqm::test
