#include "eqm/data/buffer_pool.h"

#include <utility>

namespace eqm {

BufferPool::BufferPool(size_t bytes, size_t keep) : bytes_(bytes), keep_(keep) {
  idle_.reserve(keep);  // so that give_back() cannot run out of memory
}

std::shared_ptr<BufferPool> BufferPool::create(size_t bytes, size_t keep) {
  return std::shared_ptr<BufferPool>(new BufferPool(bytes, keep));
}

std::shared_ptr<Buffer> BufferPool::take() {
  std::unique_ptr<Buffer> buffer;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      buffer = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!buffer) buffer = std::make_unique<Buffer>(bytes_);
  return {buffer.release(), [pool = shared_from_this()](Buffer* returned) {
            pool->give_back(std::unique_ptr<Buffer>(returned));
          }};
}

void BufferPool::give_back(std::unique_ptr<Buffer> buffer) noexcept {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < keep_ && buffer->size() == bytes_) idle_.push_back(std::move(buffer));
}

}  // namespace eqm
