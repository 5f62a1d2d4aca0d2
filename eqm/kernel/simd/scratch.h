// Memory that a thread keeps between calls, so that steps after the first allocate nothing.
#pragma once

#include <cstddef>
#include <new>

#include <hwy/aligned_allocator.h>

namespace eqm::simd {

class Scratch {
 public:
  // At least `count` floats, aligned for any vector; the contents are those of the last use or
  // rubbish.
  float* take(size_t count) {
    if (count > size_) {
      size_ = 0;
      memory_.reset();  // first, so that both are not held at once
      memory_ = hwy::AllocateAligned<float>(count);
      if (!memory_) throw std::bad_alloc();
      size_ = count;
    }
    return memory_.get();
  }

 private:
  hwy::AlignedFreeUniquePtr<float[]> memory_;
  size_t size_ = 0;
};

}  // namespace eqm::simd
