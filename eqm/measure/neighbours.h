// The nearest of many candidates to each of a few queries, by mean squared distance. Candidates
// come batch by batch and none is kept, so a set of any size is searched in the memory of one
// batch. The queries live on a device, and there the work is done. Not for use from several threads
// at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "eqm/tensor/torch.h"

namespace eqm {

struct Neighbour {
  int64_t index = 0;    // as it was given with the candidate
  double distance = 0;  // mean of the squared differences over all elements

  bool operator==(const Neighbour&) const = default;
};

class NeighbourSearch {
 public:
  // queries [q, ...]. Kind usage when there are none or k < 1, kind numeric when they are not
  // finite.
  NeighbourSearch(const Tensor& queries, int64_t k);

  // candidates [n, ...] of as many elements each as a query, with one index for each. A product in
  // float32 finds those that may be near, with room for its errors; they are measured in float64.
  void add(const Tensor& candidates, std::span<const int64_t> indices);

  // For each query the k nearest so far, or as many as there were, the nearest first; of equally
  // near ones that with the lower index.
  const std::vector<std::vector<Neighbour>>& nearest() const { return nearest_; }

 private:
  Tensor may_be_near(const Tensor& rows) const;
  void offer(size_t query, const Neighbour& candidate);

  Tensor queries_;  // [q, d], in the precision given
  Tensor norms_;    // [q] float64, squared
  size_t k_;
  std::vector<std::vector<Neighbour>> nearest_;
};

}  // namespace eqm
