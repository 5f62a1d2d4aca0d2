#include "eqm/measure/content_order.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eqm/base/hash.h"
#include "eqm/base/noise.h"

namespace eqm {

Tensor content_keys(const Tensor& rows) {
  const Tensor whole = rows.contiguous();
  const int64_t count = whole.size(0);
  Tensor keys = torch::empty({count}, torch::kInt64);
  if (count == 0) return keys;
  const size_t bytes = static_cast<size_t>(whole.numel() / count) * whole.element_size();
  const auto* first = static_cast<const std::byte*>(whole.data_ptr());
  auto* values = keys.data_ptr<int64_t>();
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    values[i] = static_cast<int64_t>(Hash().add(std::span(first + i * bytes, bytes)).value());
  }
  return keys;
}

Tensor content_order(const Tensor& keys, uint64_t seed) {
  const Tensor whole = keys.contiguous();
  const auto* values = whole.data_ptr<int64_t>();
  // Equal rows get a number each, so that they do not stay together; which of them gets which makes
  // no difference.
  std::unordered_map<int64_t, uint32_t> seen;
  std::vector<std::pair<uint64_t, int64_t>> order;
  for (int64_t i = 0; i < whole.size(0); ++i) {
    const auto key = static_cast<uint64_t>(values[i]);
    order.emplace_back(random_bits({.seed = seed, .sample = key, .draw = seen[values[i]]++}), i);
  }
  std::ranges::sort(order);
  Tensor places = torch::empty({whole.size(0)}, torch::kInt64);
  for (size_t i = 0; i < order.size(); ++i) places.data_ptr<int64_t>()[i] = order[i].second;
  return places;
}

}  // namespace eqm
