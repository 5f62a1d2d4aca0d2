#include "eqm/tensor/workspace.h"

#include <bit>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <c10/core/CPUAllocator.h>

#include "eqm/tensor/torch.h"

namespace eqm {
namespace {

// Sizes are rounded up to a quarter of a power of two, so that batches of nearly the same size
// share memory.
size_t rounded(size_t bytes) {
  constexpr size_t kLeast = 256;
  if (bytes <= kLeast) return kLeast;
  const size_t step = std::bit_floor(bytes - 1) / 4;
  return (bytes + step - 1) / step * step;
}

}  // namespace

class Workspace::Pool {
 public:
  // A piece of memory; the pool it goes back to is kept alive while a tensor has it.
  struct Block {
    c10::DataPtr memory;
    size_t bytes = 0;
    std::shared_ptr<Pool> home;
  };

  std::unique_ptr<Block> take(size_t bytes, c10::Allocator& system) {
    const size_t wanted = rounded(bytes);
    {
      const std::lock_guard lock(mutex_);
      ++counts_.taken;
      std::vector<std::unique_ptr<Block>>& left = left_[wanted];
      if (!left.empty()) {
        std::unique_ptr<Block> block = std::move(left.back());
        left.pop_back();
        return block;
      }
    }
    auto block = std::make_unique<Block>();
    block->memory = system.allocate(wanted);
    block->bytes = wanted;
    const std::lock_guard lock(mutex_);
    ++counts_.fresh;
    counts_.bytes += wanted;
    return block;
  }

  void give_back(std::unique_ptr<Block> block) {
    const std::lock_guard lock(mutex_);
    if (!closed_) left_[block->bytes].push_back(std::move(block));
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    left_.clear();
  }

  Counts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  mutable std::mutex mutex_;  // of what follows
  std::map<size_t, std::vector<std::unique_ptr<Block>>> left_;
  Counts counts_;
  bool closed_ = false;
};

namespace {

using Block = Workspace::Pool::Block;

thread_local std::shared_ptr<Workspace::Pool> pool_of_thread;

// The blocks that tensors have, by address: LibTorch frees memory by its address alone, and some of
// it was not ours.
class Taken {
 public:
  void add(void* data, std::unique_ptr<Block> block) {
    const std::lock_guard lock(mutex_);
    blocks_[data] = std::move(block);
  }

  // Null for memory that is not ours.
  std::unique_ptr<Block> remove(void* data) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(data);
    if (found == blocks_.end()) return nullptr;
    std::unique_ptr<Block> block = std::move(found->second);
    blocks_.erase(found);
    return block;
  }

 private:
  std::mutex mutex_;  // of what follows
  std::unordered_map<void*, std::unique_ptr<Block>> blocks_;
};

Taken& taken() {
  static auto* const blocks = new Taken;  // outlives every tensor
  return *blocks;
}

c10::Allocator& system_allocator() {
  static c10::Allocator& allocator = *c10::GetCPUAllocator();
  return allocator;
}

void release(void* data) {
  if (std::unique_ptr<Block> block = taken().remove(data)) {
    const std::shared_ptr<Workspace::Pool> home = std::move(block->home);
    home->give_back(std::move(block));
  } else {
    system_allocator().raw_deleter()(data);
  }
}

// LibTorch's allocator of host memory, but for threads with an open scope.
class Allocator final : public HostAllocator {
 public:
  c10::DataPtr take(size_t bytes) const override {
    if (!pool_of_thread || bytes == 0) return system_allocator().allocate(bytes);
    std::unique_ptr<Block> block = pool_of_thread->take(bytes, system_allocator());
    block->home = pool_of_thread;
    void* const data = block->memory.get();
    taken().add(data, std::move(block));
    return {data, data, &release, c10::Device(c10::DeviceType::CPU)};
  }

  c10::DeleterFnPtr raw_deleter() const override { return &release; }
};

void install_allocator() {
  static const bool installed = [] {
    system_allocator();  // before it is ours
    static auto* const allocator = new Allocator;
    c10::SetCPUAllocator(allocator, /*priority=*/100);
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace

Workspace::Workspace() : pool_(std::make_shared<Pool>()) {
  install_allocator();
}

Workspace::~Workspace() {
  if (pool_) pool_->close();
}

Workspace::Counts Workspace::counts() const {
  return pool_->counts();
}

WorkspaceScope::WorkspaceScope(const Workspace& workspace)
    : before_(std::exchange(pool_of_thread, workspace.pool_)) {}

WorkspaceScope::~WorkspaceScope() {
  pool_of_thread = std::move(before_);
}

}  // namespace eqm
