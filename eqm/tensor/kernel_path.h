// Which implementation of the operators of eqm/kernel a thread takes.
#pragma once

namespace eqm::kernel {

enum class Path {
  fused,
  // Only products are fused, whose gradients are products again. For graphs that will be
  // differentiated twice: the other operators would then have to compute their reference
  // implementations as well.
  products,
  plain
};

Path path();  // of this thread

// Of threads without an open scope: fused, until whoever owns the process says otherwise.
void set_process_path(Path path);

// Sets the path of this thread while it lives. A graph that was built on one path is differentiated
// on it.
class PathScope {
 public:
  explicit PathScope(Path path);
  PathScope(const PathScope&) = delete;
  PathScope& operator=(const PathScope&) = delete;
  ~PathScope();

 private:
  int before_;
};

}  // namespace eqm::kernel
