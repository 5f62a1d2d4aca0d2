// Large buffers that come back when their last holder lets go, so that a stream of batches does not
// ask the system for fresh pages each time. Thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace eqm {

using Buffer = std::vector<std::byte>;

class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  // Buffers of `bytes` each, of which at most `keep` wait idle.
  static std::shared_ptr<BufferPool> create(size_t bytes, size_t keep);

  // The content is arbitrary. May outlive every other reference to the pool.
  std::shared_ptr<Buffer> take();

 private:
  BufferPool(size_t bytes, size_t keep);
  void give_back(std::unique_ptr<Buffer> buffer) noexcept;

  size_t bytes_;
  size_t keep_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Buffer>> idle_;
};

}  // namespace eqm
