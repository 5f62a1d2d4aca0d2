#include "eqm/tensor/noise_tensor.h"

#include <algorithm>

#include "eqm/tensor/parallel.h"

namespace eqm {
namespace {

template <class T>
void fill_rows(const NoiseKey& first, const Tensor& rows) {
  const int64_t count = rows.size(0);
  const int64_t width = count > 0 ? rows.numel() / count : 0;
  T* data = rows.data_ptr<T>();
  const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, width));
  at::parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      NoiseKey key = first;
      key.sample += static_cast<uint64_t>(b);
      fill_normal(key, std::span<T>(data + b * width, static_cast<size_t>(width)));
    }
  });
}

}  // namespace

Tensor normal_rows(NoiseKey first, int64_t count, const Shape& shape,
                   torch::TensorOptions options) {
  Shape full = {count};
  full.insert(full.end(), shape.begin(), shape.end());
  const bool wide = torch::typeMetaToScalarType(options.dtype()) == torch::kFloat64;
  const Tensor rows = torch::empty(full, wide ? torch::kFloat64 : torch::kFloat32);
  if (wide) {
    fill_rows<double>(first, rows);
  } else {
    fill_rows<float>(first, rows);
  }
  return rows.to(options);
}

Tensor uniform_rows(NoiseKey first, int64_t count, torch::TensorOptions options) {
  const Tensor rows = torch::empty({count}, torch::kFloat64);
  double* data = rows.data_ptr<double>();
  for (int64_t b = 0; b < count; ++b) {
    NoiseKey key = first;
    key.sample += static_cast<uint64_t>(b);
    data[b] = uniform(key);
  }
  return rows.to(options);
}

}  // namespace eqm
