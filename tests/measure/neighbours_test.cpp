#include "eqm/measure/neighbours.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/tensor/noise_tensor.h"
#include "tests/support/expect_error.h"

namespace eqm::test {
namespace {

using Found = std::vector<std::vector<Neighbour>>;

Tensor single_normal(uint64_t seed, int64_t count, int64_t d) {
  return normal_rows({.seed = seed}, count, {d}, torch::kFloat32);
}

std::vector<int64_t> numbers(int64_t first, int64_t count) {
  std::vector<int64_t> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

Found by_batches(const Tensor& queries, const Tensor& candidates, int64_t k, int64_t batch) {
  NeighbourSearch search(queries, k);
  for (int64_t first = 0; first < candidates.size(0); first += batch) {
    const int64_t some = std::min(batch, candidates.size(0) - first);
    search.add(candidates.narrow(0, first, some), numbers(first, some));
  }
  return search.nearest();
}

// Every distance in float64, sorted.
Found by_brute_force(const Tensor& queries, const Tensor& candidates, int64_t k) {
  Found found;
  for (int64_t q = 0; q < queries.size(0); ++q) {
    std::vector<Neighbour>& all = found.emplace_back();
    for (int64_t i = 0; i < candidates.size(0); ++i) {
      const Tensor apart =
          queries[q].flatten().to(torch::kFloat64) - candidates[i].flatten().to(torch::kFloat64);
      all.push_back({.index = i, .distance = apart.square().mean().item<double>()});
    }
    std::ranges::stable_sort(all, {}, &Neighbour::distance);
    all.resize(std::min(all.size(), static_cast<size_t>(k)));
  }
  return found;
}

TEST(Neighbours, are_those_of_brute_force_whatever_the_batches) {
  for (const int64_t d : {1, 3, 64, 784}) {
    const Tensor queries = single_normal(1, 5, d), candidates = single_normal(2, 83, d);
    for (const int64_t k : {1, 4, 83, 100}) {
      const Found expected = by_brute_force(queries, candidates, k);
      for (const int64_t batch : {1, 7, 83}) {
        EXPECT_EQ(by_batches(queries, candidates, k, batch), expected) << d << " " << k;
      }
    }
  }
}

// Candidates so close together that float32 cannot tell their distances apart.
RC_GTEST_PROP(Neighbours, are_right_where_the_product_is_blind, ()) {
  const auto seed = *rc::gen::inRange<uint64_t>(0, 1u << 30);
  const int64_t d = *rc::gen::element<int64_t>(2, 50, 3000);
  const Tensor queries = single_normal(seed, 2, d).to(torch::kFloat64);
  const Tensor candidates =
      3 + queries[0] + 1e-6 * single_normal(seed + 1, 40, d).to(torch::kFloat64);
  RC_ASSERT(by_batches(queries, candidates, 5, 16) == by_brute_force(queries, candidates, 5));
}

TEST(Neighbours, of_equally_near_ones_have_the_lower_index_first) {
  const Tensor query = torch::zeros({1, 4});
  const Tensor same = torch::ones({6, 4});
  NeighbourSearch search(query, 3);
  search.add(same.narrow(0, 0, 3), numbers(10, 3));
  search.add(same.narrow(0, 3, 3), numbers(4, 3));
  const std::vector<Neighbour> expected = {{4, 1.0}, {5, 1.0}, {6, 1.0}};
  EXPECT_EQ(search.nearest().front(), expected);
}

TEST(Neighbours, find_a_query_itself_at_no_distance) {
  const Tensor images = single_normal(3, 30, 48).reshape({30, 3, 4, 4});
  const Found found = by_batches(images.narrow(0, 11, 2), images, 2, 9);
  EXPECT_EQ(found[0][0], (Neighbour{11, 0.0}));
  EXPECT_EQ(found[1][0], (Neighbour{12, 0.0}));
  EXPECT_GT(found[0][1].distance, 0.1);
}

TEST(Neighbours, are_fewer_when_there_are_not_enough) {
  NeighbourSearch search(single_normal(4, 2, 3), 5);
  EXPECT_TRUE(search.nearest()[0].empty());
  search.add(single_normal(5, 0, 3), {});
  search.add(single_normal(5, 2, 3), numbers(0, 2));
  EXPECT_EQ(search.nearest()[1].size(), 2U);
}

TEST(Neighbours, refuse_what_cannot_be_compared) {
  const Tensor query = single_normal(6, 2, 3);
  expect_error(ErrorKind::usage, "queries", [&] { NeighbourSearch(query.narrow(0, 0, 0), 1); });
  expect_error(ErrorKind::usage, "queries", [&] { NeighbourSearch(query[0], 1); });
  expect_error(ErrorKind::usage, "queries", [&] { NeighbourSearch(query, 0); });
  NeighbourSearch search(query, 1);
  expect_error(ErrorKind::usage, "indices",
               [&] { search.add(single_normal(7, 2, 4), numbers(0, 2)); });
  expect_error(ErrorKind::usage, "indices",
               [&] { search.add(single_normal(7, 2, 3), numbers(0, 3)); });
  expect_error(ErrorKind::usage, "indices",
               [&] { search.add(single_normal(7, 2, 3)[0], numbers(0, 3)); });
  const Tensor bad = torch::full({1, 3}, std::numeric_limits<float>::quiet_NaN());
  expect_error(ErrorKind::numeric, "finite", [&] { search.add(bad, numbers(0, 1)); });
  expect_error(ErrorKind::numeric, "finite", [&] { NeighbourSearch(bad, 1); });
}

}  // namespace
}  // namespace eqm::test
