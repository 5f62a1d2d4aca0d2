// Work on the rows of [B, T, D] tensors, shared among the threads.
#pragma once

#include <algorithm>
#include <cmath>

#include "eqm/kernel/simd/rows.h"
#include "eqm/tensor/parallel.h"
#include "eqm/tensor/torch.h"

namespace eqm::kernel {

// The side of a square of so many tokens.
inline int64_t grid_of(int64_t tokens) {
  return static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(tokens))));
}

inline simd::PerImage per_image(const Tensor& matrix) {
  return {.data = matrix.data_ptr<float>(), .stride = static_cast<size_t>(matrix.stride(0))};
}

// Calls work(rows) for ranges of rows that together are all.
template <class Work>
void for_rows(const Tensor& h, const Work& work) {
  constexpr int64_t kLeast = 8;  // rows that are worth a thread
  const auto tokens = static_cast<size_t>(h.size(1)), width = static_cast<size_t>(h.size(2));
  at::parallel_for(0, h.size(0) * h.size(1), kLeast, [&](int64_t begin, int64_t end) {
    work(simd::Rows{static_cast<size_t>(begin), static_cast<size_t>(end), tokens, width});
  });
}

// Into how many parts the tokens of an image are cut so that every thread has work.
inline int64_t parts_per_image(const Tensor& h) {
  const int64_t batch = std::max<int64_t>(h.size(0), 1);
  const int64_t parts = (at::get_num_threads() + batch - 1) / batch;
  return std::clamp<int64_t>(parts, 1, std::max<int64_t>(h.size(1), 1));
}

// Calls work(rows, part) for ranges of rows that each lie within one image; `part` counts them, all
// parts of an image in a row, for sums over tokens.
template <class Work>
void for_parts_of_images(const Tensor& h, int64_t parts, const Work& work) {
  const int64_t tokens = h.size(1);
  const auto width = static_cast<size_t>(h.size(2));
  at::parallel_for(0, h.size(0) * parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t image = i / parts, part = i % parts;
      const auto begin = static_cast<size_t>(image * tokens + tokens * part / parts),
                 end = static_cast<size_t>(image * tokens + tokens * (part + 1) / parts);
      work(simd::Rows{begin, end, static_cast<size_t>(tokens), width}, static_cast<size_t>(i));
    }
  });
}

// Sums per part [B * parts, D] to sums per image [B, D].
inline Tensor join_parts(const Tensor& sums, int64_t parts) {
  return parts == 1 ? sums : sums.view({-1, parts, sums.size(1)}).sum(1);
}

}  // namespace eqm::kernel
