// Memory that will be needed soon, fetched into the second cache a line at a time while tiles are
// computed, so that a product waits for little of what it reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <hwy/base.h>

namespace eqm::simd {

// The lines of a matrix, row by row. Addresses are numbers here: those past the last row are made,
// but never used.
class Prefetch {
 public:
  Prefetch() = default;
  // The matrix that begins `offset` floats after `data`.
  Prefetch(const float* data, size_t offset, size_t stride, size_t rows, size_t columns)
      : at_(reinterpret_cast<std::uintptr_t>(data) + offset * sizeof(float)),
        end_(at_ + columns * sizeof(float)),
        rows_(rows),
        width_(columns * sizeof(float)),
        stride_(stride * sizeof(float)) {}

  // False when nothing is left.
  HWY_INLINE bool fetch() {
    if (rows_ == 0) return false;
    __builtin_prefetch(reinterpret_cast<const void*>(at_), /*rw=*/0, /*locality=*/2);
    at_ += kLine;
    if (HWY_UNLIKELY(at_ >= end_)) {
      end_ += stride_;
      at_ = end_ - width_;
      --rows_;
    }
    return true;
  }

 private:
  static constexpr std::uintptr_t kLine = 64;
  std::uintptr_t at_ = 0, end_ = 0;
  size_t rows_ = 0, width_ = 0, stride_ = 0;  // the last two in bytes
};

// What the tiles of a product fetch, the most urgent first.
class PrefetchQueue {
 public:
  enum Place { read, kept, written, packed_b, left, right, kPlaces };

  Prefetch& operator[](Place place) { return queue_[place]; }

  void begin_tile() { at_ = queue_; }

  HWY_INLINE void next() {
    while (!at_->fetch()) {
      if (at_ == queue_ + right) return;
      ++at_;
    }
  }

 private:
  Prefetch queue_[kPlaces];
  Prefetch* at_ = queue_;
};

}  // namespace eqm::simd
