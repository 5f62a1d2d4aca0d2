#include "eqm/codec/tiles.h"

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace eqm::test {
namespace {

// Functions that see single pixels only make the same of tiles as of the whole.
TEST(Tiles, put_together_what_local_functions_make) {
  const auto same = [](const Tensor& x) { return x.repeat({1, 2, 1, 1}); };
  const auto twice = [](const Tensor& x) {
    return x.repeat_interleave(2, 2).repeat_interleave(2, 3);
  };
  const auto half = [](const Tensor& x) { return torch::avg_pool2d(x, {2, 2}); };
  for (const Shape& size : {Shape{40, 40}, Shape{16, 70}, Shape{34, 18}, Shape{18, 16}}) {
    const Tensor x = torch::randn({1, 3, size[0], size[1]}, torch::kFloat64);
    for (const int64_t overlap : {0, 4, 8}) {
      const Tiling tiling = {.side = 16, .overlap = overlap, .align = 2};
      EXPECT_TRUE(close(in_tiles(x, tiling, 1, 1, same), same(x), 1e-12));
      EXPECT_TRUE(close(in_tiles(x, tiling, 2, 1, twice), twice(x), 1e-12));
      EXPECT_TRUE(close(in_tiles(x, tiling, 1, 2, half), half(x), 1e-12));
    }
  }
}

TEST(Tiles, are_no_larger_than_asked_and_begin_where_they_may) {
  int64_t calls = 0;
  const Tensor places =
      torch::arange(50, torch::kFloat64).reshape({1, 1, 1, 50}).expand({1, 1, 50, 50});
  in_tiles(places, {.side = 16, .overlap = 4, .align = 4}, 1, 1, [&](const Tensor& x) {
    ++calls;
    EXPECT_LE(x.size(3), 16 + 2);  // the last one ends where the picture does
    EXPECT_EQ(x[0][0][0][0].item<int64_t>() % 4, 0);
    return x;
  });
  EXPECT_EQ(calls, 16);
}

TEST(Tiles, fade_into_each_other) {
  // Each tile answers its own number: no step is larger than the overlap allows.
  double number = 0;
  const Tensor x = torch::zeros({1, 1, 8, 44}, torch::kFloat64);
  const Tensor made =
      in_tiles(x, {.side = 16, .overlap = 4, .align = 1}, 1, 1,
               [&](const Tensor& tile) { return torch::full_like(tile, number++); });
  const Tensor steps = made.diff(1, 3);
  EXPECT_GT(steps.min().item<double>(), -1e-12);
  EXPECT_LT(steps.max().item<double>(), 0.5);
}

}  // namespace
}  // namespace eqm::test
