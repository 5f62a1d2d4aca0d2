#include "eqm/tensor/noise_tensor.h"

#include <algorithm>
#include <cmath>

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

// `zeros` of 65536 draws become 0.
template <class T>
void fill_dropout(const int64_t* seeds, uint32_t layer, uint32_t zeros, const Tensor& rows) {
  const int64_t count = rows.size(0), width = rows.numel() / count;
  const auto kept = static_cast<T>(65536.0 / (65536.0 - zeros));
  T* data = rows.data_ptr<T>();
  at::parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
    std::vector<uint16_t> bits(static_cast<size_t>(width));
    for (int64_t b = begin; b < end; ++b) {
      fill_bits({.seed = static_cast<uint64_t>(seeds[b]), .draw = layer}, bits);
      T* row = data + b * width;
      for (int64_t i = 0; i < width; ++i) row[i] = bits[static_cast<size_t>(i)] < zeros ? 0 : kept;
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

Tensor seed_rows(NoiseKey first, int64_t count) {
  const Tensor rows = torch::empty({count}, torch::kInt64);
  for (int64_t b = 0; b < count; ++b) {
    NoiseKey key = first;
    key.sample += static_cast<uint64_t>(b);
    rows.data_ptr<int64_t>()[b] = static_cast<int64_t>(random_bits(key));
  }
  return rows;
}

Tensor dropout_rows(const Tensor& seeds, uint32_t layer, double probability, const Tensor& x) {
  const auto zeros = static_cast<uint32_t>(std::lround(probability * 65536));
  const bool wide = x.scalar_type() == torch::kFloat64;
  const Tensor rows = torch::empty(x.sizes(), wide ? torch::kFloat64 : torch::kFloat32);
  if (rows.numel() == 0) return rows.to(x.options());
  const Tensor each = seeds.to(torch::kCPU).contiguous();
  if (wide) {
    fill_dropout<double>(each.data_ptr<int64_t>(), layer, zeros, rows);
  } else {
    fill_dropout<float>(each.data_ptr<int64_t>(), layer, zeros, rows);
  }
  return rows.to(x.options().requires_grad(false));
}

}  // namespace eqm
