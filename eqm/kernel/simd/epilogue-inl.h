// What becomes of a tile of sums. Included once per target.
#if defined(EQM_KERNEL_SIMD_EPILOGUE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EQM_KERNEL_SIMD_EPILOGUE_INL_H_
#undef EQM_KERNEL_SIMD_EPILOGUE_INL_H_
#else
#define EQM_KERNEL_SIMD_EPILOGUE_INL_H_
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
template <Epilogue::Kind kKind>
HWY_INLINE void epilogue_vector(Floats y, size_t at, const float* bias, const float* gate,
                                const Epilogue& epilogue, size_t count) {
  const FloatTag d;
  if (bias) y = hn::Add(y, load(bias, count));
  if constexpr (kKind == Epilogue::Kind::gelu || kKind == Epilogue::Kind::gate) {
    if (epilogue.kept) store(y, epilogue.kept + at, count);
  }
  if constexpr (kKind == Epilogue::Kind::add) y = hn::Add(y, load(epilogue.out + at, count));
  if constexpr (kKind == Epilogue::Kind::gelu) y = gelu(d, y);
  if constexpr (kKind == Epilogue::Kind::gelu_slope) {
    const Floats share = gelu_share(d, y);
    store(gelu_slope(d, y, share), epilogue.kept + at, count);
    y = hn::Mul(y, share);
  }
  if constexpr (kKind == Epilogue::Kind::scale) y = hn::Mul(load(epilogue.factor + at, count), y);
  if constexpr (kKind == Epilogue::Kind::gate) {
    y = hn::MulAdd(load(gate, count), y, load(epilogue.residual + at, count));
  }
  store(y, epilogue.out + at, count);
}

// A tile of sums, its rows `tile_width()` apart.
template <Epilogue::Kind kKind>
void epilogue_tile(const float* sums, size_t row, size_t rows, size_t column, size_t columns,
                   const Epilogue& epilogue) {
  const FloatTag d;
  const size_t n = lanes();
  const float* bias = epilogue.bias ? epilogue.bias + column : nullptr;
  for (size_t r = 0; r < rows; ++r, sums += 2 * n) {
    const size_t at = (row + r) * epilogue.stride + column;
    const float* gate = nullptr;
    if constexpr (kKind == Epilogue::Kind::gate) {
      gate = epilogue.gate + (row + r) / epilogue.rows_per_gate * epilogue.gate_stride + column;
    }
    for (size_t c = 0; c < columns; c += n) {
      epilogue_vector<kKind>(hn::Load(d, sums + c), at + c, bias ? bias + c : nullptr,
                             gate ? gate + c : nullptr, epilogue, std::min(n, columns - c));
    }
  }
}

// Number by number, each of a column at the same place in its patch.
template <>
inline void epilogue_tile<Epilogue::Kind::image>(const float* sums, size_t row, size_t rows,
                                                 size_t column, size_t columns,
                                                 const Epilogue& epilogue) {
  const size_t side = epilogue.grid * epilogue.patch, plane = side * side;
  size_t places[2 * kLanes];
  float bias[2 * kLanes];
  for (size_t c = 0; c < columns; ++c) {
    const size_t pixel = (column + c) / epilogue.channels,
                 channel = (column + c) % epilogue.channels;
    places[c] = channel * plane + pixel / epilogue.patch * side + pixel % epilogue.patch;
    bias[c] = epilogue.bias ? epilogue.bias[column + c] : 0;
  }
  for (size_t r = 0; r < rows; ++r, sums += tile_width()) {
    const size_t place = (row + r) % (epilogue.grid * epilogue.grid);
    const size_t image = (row + r) / (epilogue.grid * epilogue.grid);
    float* corner = epilogue.out + image * epilogue.channels * plane +
                    place / epilogue.grid * epilogue.patch * side +
                    place % epilogue.grid * epilogue.patch;
    for (size_t c = 0; c < columns; ++c) corner[places[c]] = sums[c] + bias[c];
  }
}

using EpilogueTile = void (*)(const float*, size_t, size_t, size_t, size_t, const Epilogue&);

inline EpilogueTile epilogue_of(Epilogue::Kind kind) {
  switch (kind) {
    case Epilogue::Kind::store:
      return epilogue_tile<Epilogue::Kind::store>;
    case Epilogue::Kind::add:
      return epilogue_tile<Epilogue::Kind::add>;
    case Epilogue::Kind::gelu:
      return epilogue_tile<Epilogue::Kind::gelu>;
    case Epilogue::Kind::gelu_slope:
      return epilogue_tile<Epilogue::Kind::gelu_slope>;
    case Epilogue::Kind::scale:
      return epilogue_tile<Epilogue::Kind::scale>;
    case Epilogue::Kind::gate:
      return epilogue_tile<Epilogue::Kind::gate>;
    case Epilogue::Kind::image:
      return epilogue_tile<Epilogue::Kind::image>;
  }
  return nullptr;
}

// What the epilogue of a tile reads and writes.
inline void prefetch_epilogue(const Epilogue& epilogue, size_t row, size_t rows, size_t column,
                              size_t columns, PrefetchQueue& prefetches) {
  if (epilogue.kind == Epilogue::Kind::image) return;
  const auto lines_of = [&](const float* matrix) {
    if (!matrix) return Prefetch();
    return Prefetch(matrix, row * epilogue.stride + column, epilogue.stride, rows, columns);
  };
  prefetches[PrefetchQueue::read] = lines_of(epilogue.factor ? epilogue.factor : epilogue.residual);
  prefetches[PrefetchQueue::kept] = lines_of(epilogue.kept);
  prefetches[PrefetchQueue::written] = lines_of(epilogue.out);
}

}  // namespace eqm::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
