// Where and how precisely tensors are computed; the same three options for every verb.
#pragma once

#include <cstdint>
#include <string>

#include "eqm/base/options.h"
#include "eqm/tensor/torch.h"

namespace eqm {

struct RuntimeOptions {
  std::string device = "cpu";
  int64_t threads = 0;  // 0: every processor this process may use and OpenMP grants
  std::string precision = "float32";

  void declare(OptionSet& options);
};

// The processors this process may run on (its affinity mask), at least 1.
int64_t usable_processors();

// The most threads that make sense here: a small multiple of the processors. Many more take minutes
// to meet at every barrier.
int64_t most_threads();

// Sets the number of threads of this process and answers device and precision for new tensors. A
// device that does not exist, or more threads than make sense or OpenMP grants, throw a usage
// error.
torch::TensorOptions start_runtime(const RuntimeOptions& options);

}  // namespace eqm
