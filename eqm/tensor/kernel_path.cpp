#include "eqm/tensor/kernel_path.h"

#include <atomic>
#include <utility>

namespace eqm::kernel {
namespace {

constexpr int kNoScope = -1;

std::atomic<Path> path_of_process = Path::fused;
thread_local int path_of_thread = kNoScope;

}  // namespace

Path path() {
  if (path_of_thread == kNoScope) return path_of_process.load(std::memory_order_relaxed);
  return static_cast<Path>(path_of_thread);
}

void set_process_path(Path path) {
  path_of_process.store(path, std::memory_order_relaxed);
}

PathScope::PathScope(Path path) : before_(std::exchange(path_of_thread, static_cast<int>(path))) {}

PathScope::~PathScope() {
  path_of_thread = before_;
}

}  // namespace eqm::kernel
