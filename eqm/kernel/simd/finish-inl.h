// What becomes of a tile of sums. Included once per target.
#if defined(EQM_KERNEL_SIMD_FINISH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EQM_KERNEL_SIMD_FINISH_INL_H_
#undef EQM_KERNEL_SIMD_FINISH_INL_H_
#else
#define EQM_KERNEL_SIMD_FINISH_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include <hwy/highway.h>

#include "eqm/kernel/simd/gemm.h"
#include "eqm/kernel/simd/math-inl.h"
#include "eqm/kernel/simd/tile-inl.h"
#include "eqm/kernel/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eqm::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Takes a row of sums to where the product belongs. The kind is known to the compiler: what it does
// not need costs nothing.
template <Finish::Kind kKind>
HWY_INLINE void finish_vector(Floats y, size_t at, const float* bias, const float* gate,
                              const Finish& finish, size_t count) {
  const FloatTag d;
  if (bias) y = hn::Add(y, load(bias, count));
  if constexpr (kKind == Finish::Kind::gelu || kKind == Finish::Kind::gate) {
    if (finish.kept) store(y, finish.kept + at, count);
  }
  if constexpr (kKind == Finish::Kind::add) y = hn::Add(y, load(finish.out + at, count));
  if constexpr (kKind == Finish::Kind::gelu) y = gelu(d, y);
  if constexpr (kKind == Finish::Kind::gelu_slope) {
    const Floats share = gelu_share(d, y);
    store(gelu_slope(d, y, share), finish.kept + at, count);
    y = hn::Mul(y, share);
  }
  if constexpr (kKind == Finish::Kind::scale) y = hn::Mul(load(finish.factor + at, count), y);
  if constexpr (kKind == Finish::Kind::gate) {
    y = hn::MulAdd(load(gate, count), y, load(finish.residual + at, count));
  }
  store(y, finish.out + at, count);
}

// A tile of sums, its rows `panel()` apart.
template <Finish::Kind kKind>
void finish_tile(const float* sums, size_t row, size_t rows, size_t column, size_t columns,
                 const Finish& finish) {
  const FloatTag d;
  const size_t n = lanes();
  const float* bias = finish.bias ? finish.bias + column : nullptr;
  for (size_t r = 0; r < rows; ++r, sums += 2 * n) {
    const size_t at = (row + r) * finish.stride + column;
    const float* gate = nullptr;
    if constexpr (kKind == Finish::Kind::gate) {
      gate = finish.gate + (row + r) / finish.rows_per_gate * finish.gate_stride + column;
    }
    for (size_t c = 0; c < columns; c += n) {
      finish_vector<kKind>(hn::Load(d, sums + c), at + c, bias ? bias + c : nullptr,
                           gate ? gate + c : nullptr, finish, std::min(n, columns - c));
    }
  }
}

// Number by number, each of a column at the same place in its patch.
template <>
inline void finish_tile<Finish::Kind::image>(const float* sums, size_t row, size_t rows,
                                             size_t column, size_t columns, const Finish& finish) {
  const size_t side = finish.grid * finish.patch, plane = side * side;
  size_t places[2 * kLanes];
  float bias[2 * kLanes];
  for (size_t c = 0; c < columns; ++c) {
    const size_t pixel = (column + c) / finish.channels, channel = (column + c) % finish.channels;
    places[c] = channel * plane + pixel / finish.patch * side + pixel % finish.patch;
    bias[c] = finish.bias ? finish.bias[column + c] : 0;
  }
  for (size_t r = 0; r < rows; ++r, sums += panel()) {
    const size_t place = (row + r) % (finish.grid * finish.grid);
    const size_t image = (row + r) / (finish.grid * finish.grid);
    float* corner = finish.out + image * finish.channels * plane +
                    place / finish.grid * finish.patch * side + place % finish.grid * finish.patch;
    for (size_t c = 0; c < columns; ++c) corner[places[c]] = sums[c] + bias[c];
  }
}

using FinishTile = void (*)(const float*, size_t, size_t, size_t, size_t, const Finish&);

inline FinishTile finish_of(Finish::Kind kind) {
  switch (kind) {
    case Finish::Kind::store:
      return finish_tile<Finish::Kind::store>;
    case Finish::Kind::add:
      return finish_tile<Finish::Kind::add>;
    case Finish::Kind::gelu:
      return finish_tile<Finish::Kind::gelu>;
    case Finish::Kind::gelu_slope:
      return finish_tile<Finish::Kind::gelu_slope>;
    case Finish::Kind::scale:
      return finish_tile<Finish::Kind::scale>;
    case Finish::Kind::gate:
      return finish_tile<Finish::Kind::gate>;
    case Finish::Kind::image:
      return finish_tile<Finish::Kind::image>;
  }
  return nullptr;
}

// What finishing a tile will read and write.
inline void fetch_finish(const Finish& finish, size_t row, size_t rows, size_t column,
                         size_t columns, Fetches& fetches) {
  if (finish.kind == Finish::Kind::image) return;
  const auto lines_of = [&](const float* matrix) {
    if (!matrix) return Ahead();
    return Ahead(matrix, row * finish.stride + column, finish.stride, rows, columns);
  };
  fetches[Fetches::read] = lines_of(finish.factor ? finish.factor : finish.residual);
  fetches[Fetches::kept] = lines_of(finish.kept);
  fetches[Fetches::written] = lines_of(finish.out);
}

}  // namespace eqm::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
