#include "eqm/tensor/workspace.h"

#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <c10/core/CPUAllocator.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "eqm/tensor/torch.h"

namespace eqm {
namespace {

size_t rounded(size_t bytes) {
  constexpr size_t kStep = 256;
  return (bytes + kStep - 1) / kStep * kStep;
}

// Memory that waits is nobody's, and memory in use ends where its tensor does: the address
// sanitizer should know.
#ifdef __SANITIZE_ADDRESS__
void forbid(void* data, size_t bytes) {
  ASAN_POISON_MEMORY_REGION(data, bytes);
}
void allow(void* data, size_t bytes) {
  ASAN_UNPOISON_MEMORY_REGION(data, bytes);
}
#else
void forbid(void*, size_t) {}
void allow(void*, size_t) {}
#endif

}  // namespace

class Workspace::Pool {
 public:
  // A piece of memory; the pool it goes back to is kept alive while a tensor has it.
  struct Block {
    c10::DataPtr memory;
    size_t bytes = 0;
    std::shared_ptr<Pool> home;
    ~Block() { allow(memory.get(), bytes); }
  };

  std::unique_ptr<Block> take(size_t bytes, c10::Allocator& system) {
    std::unique_ptr<Block> block = reused(bytes);
    if (!block) block = fresh(bytes, system);
    allow(block->memory.get(), bytes);
    return block;
  }

  void give_back(std::unique_ptr<Block> block) {
    forbid(block->memory.get(), block->bytes);
    const std::lock_guard lock(mutex_);
    const size_t bytes = block->bytes;
    if (!closed_) left_.emplace(bytes, std::move(block));
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
  // The smallest block that will do; none that is more than twice as large, so that what is left of
  // large batches serves smaller ones, but not the smallest.
  std::unique_ptr<Block> reused(size_t bytes) {
    const std::lock_guard lock(mutex_);
    ++counts_.taken;
    const auto found = left_.lower_bound(bytes);
    if (found == left_.end() || found->first > 2 * rounded(bytes)) return nullptr;
    std::unique_ptr<Block> block = std::move(found->second);
    left_.erase(found);
    return block;
  }

  std::unique_ptr<Block> fresh(size_t bytes, c10::Allocator& system) {
    auto block = std::make_unique<Block>();
    const size_t size = rounded(bytes);
    try {
      block->memory = system.allocate(size);
    } catch (const std::exception&) {  // what waits may be what is missing
      forget();
      block->memory = system.allocate(size);
    }
    block->bytes = size;
    forbid(block->memory.get(), block->bytes);
    const std::lock_guard lock(mutex_);
    ++counts_.fresh;
    counts_.bytes += block->bytes;
    return block;
  }

  void forget() {
    const std::lock_guard lock(mutex_);
    for (const auto& entry : left_) counts_.bytes -= entry.first;
    left_.clear();
  }

  mutable std::mutex mutex_;  // of what follows
  std::multimap<size_t, std::unique_ptr<Block>> left_;
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

  // Copes with memory that another deleter came with, too.
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
};

}  // namespace

void install_workspace_allocator() {
  static const bool installed = [] {
    system_allocator();  // before it is ours
    static auto* const allocator = new Allocator;
    c10::SetCPUAllocator(allocator, /*priority=*/100);
    return true;
  }();
  static_cast<void>(installed);
}

Workspace::Workspace() : pool_(std::make_shared<Pool>()) {}

Workspace::~Workspace() {
  if (pool_) pool_->close();
}

Workspace::Counts Workspace::counts() const {
  return pool_->counts();
}

WorkspaceScope::WorkspaceScope(const Workspace& workspace, Workspaces policy)
    : before_(
          std::exchange(pool_of_thread, policy == Workspaces::reuse ? workspace.pool_ : nullptr)) {}

WorkspaceScope::~WorkspaceScope() {
  pool_of_thread = std::move(before_);
}

}  // namespace eqm
