// Memory that will be needed soon, fetched into the second cache a line at a time while tiles are
// computed, so that a product waits for little of what it reads and writes.
#pragma once

#include <cstddef>

#include <hwy/base.h>

namespace eqm::simd {

// The lines of a matrix, row by row.
class Ahead {
 public:
  Ahead() = default;
  Ahead(const float* matrix, size_t stride, size_t rows, size_t columns)
      : at_(matrix), end_(matrix + columns), rows_(rows), columns_(columns), stride_(stride) {}

  // False when nothing is left.
  HWY_INLINE bool fetch() {
    if (rows_ == 0) return false;
    __builtin_prefetch(at_, /*rw=*/0, /*locality=*/2);
    at_ += kLine;
    if (HWY_UNLIKELY(at_ >= end_)) {
      end_ += stride_;
      at_ = end_ - columns_;
      --rows_;
    }
    return true;
  }

 private:
  static constexpr size_t kLine = 64 / sizeof(float);
  const float *at_ = nullptr, *end_ = nullptr;
  size_t rows_ = 0, columns_ = 0, stride_ = 0;
};

// What the tiles of a product fetch, the most urgent first.
class Fetches {
 public:
  enum Place { read, kept, written, panel, left, after, kPlaces };

  Ahead& operator[](Place place) { return queue_[place]; }

  void begin_tile() { at_ = queue_; }

  HWY_INLINE void next() {
    while (!at_->fetch()) {
      if (at_ == queue_ + after) return;
      ++at_;
    }
  }

 private:
  Ahead queue_[kPlaces];
  Ahead* at_ = queue_;
};

}  // namespace eqm::simd
