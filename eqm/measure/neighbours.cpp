#include "eqm/measure/neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

// A sum of d float32 products is off by about ε√d of the sizes summed; eight times that is never
// reached. Too large a factor costs time only: more candidates are measured in float64.
constexpr double kSlack = 8;

Tensor flat_rows(const Tensor& values) {
  const Tensor rows = values.detach().flatten(1).contiguous();
  if (rows.isfinite().all().item<bool>()) return rows;
  throw Error(ErrorKind::numeric, "neighbours of values that are not all finite numbers",
              "an earlier computation overflowed or gave NaN");
}

Tensor squared_norms(const Tensor& rows) {
  return rows.to(torch::kFloat64).square().sum(1);
}

double mean_squared_distance(const Tensor& a, const Tensor& b) {
  return (a.to(torch::kFloat64) - b.to(torch::kFloat64)).square().mean().item<double>();
}

}  // namespace

NeighbourSearch::NeighbourSearch(const Tensor& queries, int64_t k)
    : k_(static_cast<size_t>(std::max<int64_t>(k, 0))) {
  if (k < 1 || queries.dim() < 2 || queries.numel() == 0) {
    throw Error(ErrorKind::usage, "a search for neighbours needs queries and a number of them",
                "give at least one query [1, ...] and k of at least 1");
  }
  queries_ = flat_rows(queries);
  norms_ = squared_norms(queries_);
  nearest_.resize(static_cast<size_t>(queries.size(0)));
}

void NeighbourSearch::add(const Tensor& candidates, std::span<const int64_t> indices) {
  const int64_t count = candidates.dim() < 2 ? -1 : candidates.size(0);
  if (count == 0 && indices.empty()) return;
  if (count != static_cast<int64_t>(indices.size()) ||
      candidates.numel() != count * queries_.size(1)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} indices and {} numbers are not neighbours of {} numbers each",
                            indices.size(), candidates.numel(), queries_.size(1)),
                "candidates have the shape of queries, and an index each");
  }
  const Tensor rows = flat_rows(candidates.to(queries_.device()));
  const Tensor pairs = may_be_near(rows).cpu();
  const auto pair = pairs.accessor<int64_t, 2>();
  for (int64_t i = 0; i < pairs.size(0); ++i) {
    const int64_t query = pair[i][0], row = pair[i][1];
    offer(static_cast<size_t>(query),
          {.index = indices[static_cast<size_t>(row)],
           .distance = mean_squared_distance(queries_[query], rows[row])});
  }
}

// Pairs [m, 2] of query and row, all those that can be among the k nearest.
Tensor NeighbourSearch::may_be_near(const Tensor& rows) const {
  const auto elements = static_cast<double>(rows.size(1));
  const Tensor products =
      queries_.to(torch::kFloat32).matmul(rows.to(torch::kFloat32).t()).to(torch::kFloat64);
  const Tensor sizes = norms_.unsqueeze(1) + squared_norms(rows).unsqueeze(0);  // [q, n]
  const Tensor distances = sizes - 2 * products;
  const Tensor errors =
      sizes * (kSlack * std::sqrt(elements) * std::numeric_limits<float>::epsilon());
  std::vector<double> bounds;
  for (const std::vector<Neighbour>& best : nearest_) {
    bounds.push_back(best.size() < k_ ? std::numeric_limits<double>::infinity()
                                      : best.back().distance * elements);
  }
  Tensor bound = torch::tensor(bounds, torch::kFloat64).to(rows.device());
  if (rows.size(0) >= static_cast<int64_t>(k_)) {
    const Tensor at_most = std::get<0>((distances + errors).kthvalue(static_cast<int64_t>(k_), 1));
    bound = torch::minimum(bound, at_most);
  }
  return (distances - errors <= bound.unsqueeze(1)).nonzero();
}

void NeighbourSearch::offer(size_t query, const Neighbour& candidate) {
  std::vector<Neighbour>& best = nearest_[query];
  const auto is_nearer = [](const Neighbour& a, const Neighbour& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.index < b.index;
  };
  best.insert(std::ranges::lower_bound(best, candidate, is_nearer), candidate);
  if (best.size() > k_) best.pop_back();
}

}  // namespace eqm
