// Memory that is used again. While a scope is open on a thread, the tensors that this thread makes
// on the host take the memory that earlier tensors of the workspace have left, so that work which
// repeats itself asks the system for nothing after its first round. A tensor may outlive the scope
// and the workspace, and may be freed by any thread.
//
// LibTorch has one allocator of host memory for the whole process. Without that of
// install_workspace_allocator() a scope does nothing: results are the same, memory comes from the
// system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace eqm {

// Puts an allocator in LibTorch's place for good, which serves threads with an open scope and hands
// on to the one before for all others. For whoever owns the process, before other threads work with
// tensors; a second call does nothing.
void install_workspace_allocator();

// What a scope does: reuses the memory of its workspace, or lets LibTorch ask the system for all.
enum class Workspaces { reuse, none };

class Workspace {
 public:
  Workspace();
  Workspace(Workspace&&) noexcept = default;
  Workspace& operator=(Workspace&& other) noexcept {
    pool_.swap(other.pool_);  // which is closed with the other
    return *this;
  }
  ~Workspace();  // gives back what no tensor holds any more

  struct Counts {
    int64_t taken = 0;  // pieces of memory that tensors asked for
    int64_t fresh = 0;  // those that had to come from the system
    size_t bytes = 0;   // held, in use or not
  };
  Counts counts() const;

  class Pool;

 private:
  friend class WorkspaceScope;
  std::shared_ptr<Pool> pool_;
};

class WorkspaceScope {
 public:
  explicit WorkspaceScope(const Workspace& workspace, Workspaces policy = Workspaces::reuse);
  WorkspaceScope(const WorkspaceScope&) = delete;
  WorkspaceScope& operator=(const WorkspaceScope&) = delete;
  ~WorkspaceScope();

 private:
  std::shared_ptr<Workspace::Pool> before_;
};

}  // namespace eqm
