// A runtime: where and how precisely something is computed. A value that is handed to whatever
// computes; making one changes nothing of the process, so that several live side by side. What
// belongs to a whole process is in process.h, for the program that owns it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "eqm/base/options.h"
#include "eqm/tensor/kernel_path.h"
#include "eqm/tensor/torch.h"
#include "eqm/tensor/workspace.h"

namespace eqm {

struct RuntimeOptions {
  std::string device = "cpu";
  int64_t threads = 0;  // 0: the process's
  std::string precision = "float32";

  void declare(OptionSet& options);
};

struct Runtime {
  torch::Device device = torch::kCPU;
  torch::ScalarType dtype = torch::kFloat32;
  bool autocast = false;                      // matrix products of training in bfloat16
  int threads = 0;                            // 0: those of the thread that computes
  std::optional<kernel::Path> kernels = {};   // unset: those of the thread that computes
  Workspaces workspaces = Workspaces::reuse;  // where the process has the allocator for it

  Runtime() = default;
  // Device and precision alone.
  Runtime(const torch::TensorOptions& type)  // NOLINT(google-explicit-constructor)
      : device(type.device()), dtype(torch::typeMetaToScalarType(type.dtype())) {}
  Runtime(torch::ScalarType type) : dtype(type) {}  // NOLINT(google-explicit-constructor)

  // Device and precision of new tensors.
  torch::TensorOptions tensors() const {
    return torch::TensorOptions().device(device).dtype(dtype);
  }
};

// Whether what is computed has a use for bfloat16: only training has.
enum class Bfloat16 { useless, useful };

// Reads the options, and changes nothing. A device that does not exist, more threads than make
// sense or OpenMP grants, and bfloat16 where it is useless are usage errors.
Runtime make_runtime(const RuntimeOptions& options, Bfloat16 bfloat16 = Bfloat16::useless);

// The processors this process may run on (its affinity mask), at least 1.
int64_t usable_processors();

// The most threads that make sense here: a small multiple of the processors. Many more take minutes
// to meet at every barrier.
int64_t most_threads();

// A number of threads that makes sense here and that OpenMP grants; a usage error otherwise.
int checked_threads(int64_t asked);

// Lets the calling thread compute as the runtime says while it lives: its kernels and its number of
// threads, which OpenMP holds per thread. (A LibTorch without OpenMP keeps the process's number.)
// Changing the number between two pieces of work on one thread makes OpenMP end and start threads,
// so keep a scope open around work that belongs together.
class RuntimeScope {
 public:
  explicit RuntimeScope(const Runtime& runtime);
  RuntimeScope(const RuntimeScope&) = delete;
  RuntimeScope& operator=(const RuntimeScope&) = delete;
  ~RuntimeScope();

 private:
  std::optional<kernel::PathScope> path_;
  int threads_before_ = 0;  // 0: not changed
};

}  // namespace eqm
