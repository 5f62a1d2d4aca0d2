// Statistical bounds are five standard deviations of the estimator. The numbers are fixed by their
// keys, so a test passes always or never.
#include "eqm/base/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <Random123/philox.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace eqm {
namespace {

constexpr size_t kMany = 100'000;
const double kRoot = std::sqrt(static_cast<double>(kMany));

std::vector<double> normals(NoiseKey key, size_t count) {
  std::vector<double> numbers(count);
  fill_normal(key, numbers);
  return numbers;
}

std::vector<double> uniforms(NoiseKey key, size_t count) {
  std::vector<double> numbers(count);
  fill_uniform(key, numbers);
  return numbers;
}

NoiseKey any_key() {
  return {.seed = *rc::gen::arbitrary<uint64_t>(),
          .sample = *rc::gen::arbitrary<uint64_t>(),
          .draw = *rc::gen::arbitrary<uint32_t>()};
}

double mean_power(const std::vector<double>& numbers, int power) {
  double sum = 0;
  for (const double number : numbers) sum += std::pow(number, power);
  return sum / static_cast<double>(numbers.size());
}

double mean_product(const std::vector<double>& a, const std::vector<double>& b, size_t shift) {
  double sum = 0;
  for (size_t i = 0; i + shift < a.size(); ++i) sum += a[i] * b[i + shift];
  return sum / static_cast<double>(a.size() - shift);
}

// 53 bits, the second word on top.
double unit_from(uint32_t low, uint32_t high) {
  return std::ldexp(static_cast<double>(((uint64_t{high} << 32) | low) >> 11), -53);
}

TEST(Noise, comes_from_philox_as_published) {
  // kat_vectors of Random123, philox4x32 with 10 rounds: counter 0, key 0.
  const std::vector<double> two = uniforms({}, 2);
  EXPECT_EQ(two[0], unit_from(0x6627e8d5, 0xe169c58d));
  EXPECT_EQ(two[1], unit_from(0xbc57ac4c, 0x9b00dbd8));
  EXPECT_EQ(uniform({}), two[0]);
  EXPECT_NEAR(two[0], 0.8805202, 1e-7);
}

TEST(Noise, library_computes_the_published_vectors) {
  using Philox = r123::Philox4x32;
  const Philox::ctr_type ones = {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}};
  const Philox::ctr_type expected = {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}};
  EXPECT_TRUE(Philox()(ones, {{0xffffffff, 0xffffffff}}) == expected);
  const Philox::ctr_type pi = {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
  const Philox::ctr_type of_pi = {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
  EXPECT_TRUE(Philox()(pi, {{0xa4093822, 0x299f31d0}}) == of_pi);
}

RC_GTEST_PROP(Noise, counter_is_block_draw_sample_and_key_is_seed, ()) {
  const NoiseKey key = any_key();
  const auto block = *rc::gen::inRange<uint32_t>(0, 50);
  const auto half = [](uint64_t number, int shift) {
    return static_cast<uint32_t>(number >> shift);
  };
  const r123::Philox4x32::ctr_type bits =
      r123::Philox4x32()({{block, key.draw, half(key.sample, 0), half(key.sample, 32)}},
                         {{half(key.seed, 0), half(key.seed, 32)}});
  const std::vector<double> numbers = uniforms(key, 2 * size_t{block} + 2);
  RC_ASSERT(numbers[2 * block] == unit_from(bits[0], bits[1]));
  RC_ASSERT(numbers[2 * block + 1] == unit_from(bits[2], bits[3]));
}

RC_GTEST_PROP(Noise, equal_keys_give_equal_numbers, ()) {
  const NoiseKey key = any_key();
  const auto count = *rc::gen::inRange<size_t>(1, 40);
  RC_ASSERT(normals(key, count) == normals(key, count));
  RC_ASSERT(uniforms(key, count) == uniforms(key, count));
}

RC_GTEST_PROP(Noise, any_change_of_the_key_changes_the_numbers, ()) {
  const NoiseKey key = any_key();
  NoiseKey other = key;
  const auto bit = *rc::gen::inRange(0, 64);
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      other.seed ^= uint64_t{1} << bit;
      break;
    case 1:
      other.sample ^= uint64_t{1} << bit;
      break;
    default:
      other.draw ^= uint32_t{1} << (bit % 32);
  }
  RC_ASSERT(uniforms(key, 4) != uniforms(other, 4));
  RC_ASSERT(normals(key, 4) != normals(other, 4));
}

RC_GTEST_PROP(Noise, a_longer_fill_starts_with_the_shorter_one, ()) {
  const NoiseKey key = any_key();
  const auto count = *rc::gen::inRange<size_t>(0, 40);
  const auto more = *rc::gen::inRange<size_t>(0, 40);
  for (const auto& fill : {normals, uniforms}) {
    std::vector<double> longer = fill(key, count + more);
    longer.resize(count);
    RC_ASSERT(longer == fill(key, count));
  }
}

RC_GTEST_PROP(Noise, single_precision_is_the_rounding_of_double, ()) {
  const NoiseKey key = any_key();
  const auto count = *rc::gen::inRange<size_t>(1, 40);
  const std::vector<double> exact = normals(key, count);
  std::vector<float> rounded(count);
  fill_normal(key, rounded);
  for (size_t i = 0; i < count; ++i) RC_ASSERT(rounded[i] == static_cast<float>(exact[i]));
}

TEST(Noise, normals_have_the_moments_of_the_standard_normal) {
  const std::vector<double> numbers = normals({.seed = 1}, kMany);
  // The estimators' standard deviations are 1, √2, √15 and √96 over √n.
  EXPECT_NEAR(mean_power(numbers, 1), 0, 5 / kRoot);
  EXPECT_NEAR(mean_power(numbers, 2), 1, 5 * std::sqrt(2.0) / kRoot);
  EXPECT_NEAR(mean_power(numbers, 3), 0, 5 * std::sqrt(15.0) / kRoot);
  EXPECT_NEAR(mean_power(numbers, 4), 3, 5 * std::sqrt(96.0) / kRoot);
}

TEST(Noise, normals_are_finite_and_reach_the_tails) {
  const std::vector<double> numbers = normals({.seed = 2}, kMany);
  for (const double number : numbers) ASSERT_TRUE(std::isfinite(number));
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  EXPECT_LT(*least, -3.5);  // expected beyond: 23 of 1e5 on each side
  EXPECT_GT(*most, 3.5);
}

TEST(Noise, neighbours_are_independent) {
  const NoiseKey key = {.seed = 3, .sample = 7, .draw = 1};
  const std::vector<double> numbers = normals(key, kMany);
  // Shift 1 holds the two of one Box-Muller pair; their squares would betray a shared radius.
  std::vector<double> squares;
  for (const double number : numbers) squares.push_back((number * number - 1) / std::sqrt(2.0));
  for (const size_t shift : {1, 2, 3}) {
    EXPECT_NEAR(mean_product(numbers, numbers, shift), 0, 5 / kRoot) << shift;
    EXPECT_NEAR(mean_product(squares, squares, shift), 0, 5 / kRoot) << shift;
  }
}

TEST(Noise, streams_of_neighbouring_keys_are_independent) {
  const std::vector<double> numbers = normals({.seed = 4, .sample = 7, .draw = 1}, kMany);
  for (const NoiseKey other :
       {NoiseKey{.seed = 5, .sample = 7, .draw = 1}, NoiseKey{.seed = 4, .sample = 8, .draw = 1},
        NoiseKey{.seed = 4, .sample = 7, .draw = 2}}) {
    EXPECT_NEAR(mean_product(numbers, normals(other, kMany), 0), 0, 5 / kRoot);
  }
}

TEST(Noise, first_numbers_of_successive_samples_are_normal) {
  std::vector<double> firsts;
  for (uint64_t sample = 0; sample < kMany; ++sample) {
    firsts.push_back(normals({.seed = 6, .sample = sample}, 1)[0]);
  }
  EXPECT_NEAR(mean_power(firsts, 1), 0, 5 / kRoot);
  EXPECT_NEAR(mean_power(firsts, 2), 1, 5 * std::sqrt(2.0) / kRoot);
  EXPECT_NEAR(mean_product(firsts, firsts, 1), 0, 5 / kRoot);
}

TEST(Noise, uniforms_fill_the_unit_interval_evenly) {
  const std::vector<double> numbers = uniforms({.seed = 7}, kMany);
  std::array<int, 100> bins{};
  for (const double number : numbers) {
    ASSERT_GE(number, 0);
    ASSERT_LT(number, 1);
    ++bins[static_cast<size_t>(number * 100)];
  }
  // A bin expects 1000 with standard deviation √990.
  for (const int bin : bins) EXPECT_NEAR(bin, 1000, 5 * std::sqrt(990.0));
  EXPECT_NEAR(mean_power(numbers, 1), 0.5, 5 * std::sqrt(1.0 / 12) / kRoot);
}

RC_GTEST_PROP(UniformIndex, stays_below_the_count, ()) {
  const NoiseKey key = any_key();
  const auto count = *rc::gen::inRange<uint64_t>(1, uint64_t{1} << 32);
  RC_ASSERT(uniform_index(key, count) < count);
  RC_ASSERT(uniform_index(key, 1) == 0);
}

TEST(UniformIndex, is_about_even) {
  std::array<int, 7> counts{};
  for (uint64_t sample = 0; sample < kMany; ++sample) {
    ++counts[uniform_index({.seed = 8, .sample = sample}, counts.size())];
  }
  const double share = 1.0 / 7;
  for (const int count : counts) {
    EXPECT_NEAR(count, kMany * share, 5 * kRoot * std::sqrt(share * (1 - share)));
  }
}

}  // namespace
}  // namespace eqm
