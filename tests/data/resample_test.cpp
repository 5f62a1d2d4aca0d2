#include "eqm/data/resample.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm {
namespace {

using test::expect_error;

Example planes(int64_t channels, int64_t height, int64_t width, const std::vector<int>& pixels_in) {
  Example example{.shape = {channels, height, width}, .bytes = {}};
  for (const int value : pixels_in) example.bytes.push_back(static_cast<std::byte>(value));
  return example;
}

std::vector<int> pixels_in(const Example& example) {
  std::vector<int> result;
  for (const std::byte value : example.bytes) result.push_back(std::to_integer<int>(value));
  return result;
}

// Inside a property: any picture of these sizes, with black and white often.
Example any_planes(int64_t channels, int64_t height, int64_t width) {
  const auto value = rc::gen::oneOf(rc::gen::inRange(0, 256), rc::gen::element(0, 255));
  return planes(
      channels, height, width,
      *rc::gen::container<std::vector<int>>(static_cast<size_t>(channels * height * width), value));
}

double cubic(double x) {
  x = std::abs(x);
  if (x < 1) return 1.5 * x * x * x - 2.5 * x * x + 1;
  return x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0;
}

// The reference implementation of one row or column: weights in float64 over the whole of it.
std::vector<double> plain_cubic(const std::vector<double>& from, size_t length) {
  const double ratio = static_cast<double>(from.size()) / static_cast<double>(length);
  const double stretch = std::max(ratio, 1.0);
  std::vector<double> to;
  for (size_t i = 0; i < length; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * ratio - 0.5;
    double sum = 0;
    double weights = 0;
    for (size_t x = 0; x < from.size(); ++x) {
      const double weight = cubic((static_cast<double>(x) - centre) / stretch);
      sum += weight * from[x];
      weights += weight;
    }
    to.push_back(std::clamp(std::round(sum / weights), 0.0, 255.0));
  }
  return to;
}

RC_GTEST_PROP(Resample, agrees_with_its_plain_twin_along_each_axis, ()) {
  const auto length = *rc::gen::inRange<int64_t>(1, 50);
  const auto wanted = *rc::gen::inRange<int64_t>(1, 50);
  const Example row = any_planes(1, 1, length);
  const std::vector<int> from = pixels_in(row);
  const std::vector<double> expected =
      plain_cubic({from.begin(), from.end()}, static_cast<size_t>(wanted));

  const Example across = resample(row, 1, wanted, ResampleFilter::bicubic);
  Example column = row;
  std::swap(column.shape[1], column.shape[2]);
  const Example down = resample(column, wanted, 1, ResampleFilter::bicubic);
  RC_ASSERT(across.shape == (std::vector<int64_t>{1, 1, wanted}));
  RC_ASSERT(down.shape == (std::vector<int64_t>{1, wanted, 1}));
  RC_ASSERT(pixels_in(down) == pixels_in(across));
  // Where the exact value lies half way, fixed point may round to the other side.
  for (size_t i = 0; i < expected.size(); ++i) {
    RC_ASSERT(std::abs(pixels_in(across)[i] - expected[i]) <= 1);
  }
}

RC_GTEST_PROP(Resample, makes_a_part_equal_to_the_same_part_of_the_whole, ()) {
  const auto filter = *rc::gen::element(ResampleFilter::box, ResampleFilter::bicubic);
  const Example source =
      any_planes(2, *rc::gen::inRange<int64_t>(1, 20), *rc::gen::inRange<int64_t>(1, 20));
  const auto any_axis = [] {
    const auto length = *rc::gen::inRange<int64_t>(1, 20);
    const auto begin = *rc::gen::inRange<int64_t>(0, length);
    return ResampleAxis{length, begin, *rc::gen::inRange<int64_t>(1, length - begin + 1)};
  };
  const ResampleAxis rows = any_axis();
  const ResampleAxis columns = any_axis();
  const Example whole = resample(source, rows.length, columns.length, filter);
  const Example part = resample(source, rows, columns, filter);
  RC_ASSERT(part.shape == (std::vector<int64_t>{2, rows.count, columns.count}));
  for (int64_t c = 0, i = 0; c < 2; ++c) {
    for (int64_t y = rows.begin; y < rows.begin + rows.count; ++y) {
      for (int64_t x = columns.begin; x < columns.begin + columns.count; ++x, ++i) {
        const int64_t at = (c * rows.length + y) * columns.length + x;
        RC_ASSERT(part.bytes[static_cast<size_t>(i)] == whole.bytes[static_cast<size_t>(at)]);
      }
    }
  }
}

RC_GTEST_PROP(Resample, changes_nothing_at_the_same_size, ()) {
  const auto filter = *rc::gen::element(ResampleFilter::box, ResampleFilter::bicubic);
  const auto height = *rc::gen::inRange<int64_t>(1, 20);
  const auto width = *rc::gen::inRange<int64_t>(1, 20);
  const Example source = any_planes(3, height, width);
  RC_ASSERT(resample(source, height, width, filter).bytes == source.bytes);
}

RC_GTEST_PROP(Resample, keeps_a_single_colour, ()) {
  const auto filter = *rc::gen::element(ResampleFilter::box, ResampleFilter::bicubic);
  const auto side = [] { return *rc::gen::inRange<int64_t>(1, 70); };
  const int colour = *rc::gen::inRange(0, 256);
  const int64_t height = side();
  const int64_t width = side();
  const Example source =
      planes(1, height, width, std::vector<int>(static_cast<size_t>(height * width), colour));
  for (const int value : pixels_in(resample(source, side(), side(), filter))) {
    RC_ASSERT(value == colour);
  }
}

TEST(Resample, rounds_after_each_direction_columns_first) {
  // (0 + 1) / 2 -> 1 and (0 + 0) / 2 -> 0, then (1 + 0) / 2 -> 1; the exact mean is 0.25.
  EXPECT_EQ(pixels_in(resample(planes(1, 2, 2, {0, 1, 0, 0}), 1, 1, ResampleFilter::box)),
            (std::vector<int>{1}));
  // (1 + 0) / 2 -> 1 and (1 + 2) / 2 -> 2, then (1 + 2) / 2 -> 2; rows first would give 1.
  EXPECT_EQ(pixels_in(resample(planes(1, 2, 2, {1, 0, 1, 2}), 1, 1, ResampleFilter::box)),
            (std::vector<int>{2}));
}

TEST(Resample, keeps_the_label) {
  Example source = planes(1, 1, 2, {3, 4});
  source.label = 12;
  EXPECT_EQ(resample(source, 4, 4, ResampleFilter::bicubic).label, 12);
}

TEST(Resample, reads_and_makes_only_what_a_part_needs) {
  // A billion pixels high, of which four are wanted.
  const Example source = planes(1, 3, 1, {10, 20, 30});
  const ResampleAxis rows{.length = 3'000'000'000, .begin = 1'499'999'998, .count = 4};
  EXPECT_EQ(pixels_in(resample(source, rows, {.length = 1, .begin = 0, .count = 1},
                               ResampleFilter::bicubic)),
            (std::vector<int>{20, 20, 20, 20}));
}

TEST(Resample, refuses_parts_outside_of_the_whole) {
  const Example source = planes(1, 2, 2, {1, 2, 3, 4});
  const ResampleAxis good{.length = 2, .begin = 0, .count = 2};
  for (const ResampleAxis& bad :
       {ResampleAxis{0, 0, 0}, ResampleAxis{-1, 0, 1}, ResampleAxis{2, -1, 2},
        ResampleAxis{2, 1, 2}, ResampleAxis{2, 2, 1}, ResampleAxis{2, 0, 0}, ResampleAxis{2, 0, -1},
        ResampleAxis{2, 1, INT64_MAX}}) {
    expect_error(ErrorKind::usage, "pixels from pixel",
                 [&] { resample(source, bad, good, ResampleFilter::box); });
    expect_error(ErrorKind::usage, "pixels from pixel",
                 [&] { resample(source, good, bad, ResampleFilter::box); });
  }
}

TEST(Resample, refuses_results_over_the_pixel_limit_before_reserving_memory) {
  const Example source = planes(1, 1, 1, {1});
  expect_error(ErrorKind::usage, "are allowed",
               [&] { resample(source, int64_t{1} << 31, int64_t{1} << 31, ResampleFilter::box); });
}

}  // namespace
}  // namespace eqm
