#include "eqm/tensor/runtime.h"

#include <algorithm>
#include <limits>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sched.h>
#include <torch/torch.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

torch::Device device_from(const std::string& text) {
  torch::Device device = torch::kCPU;
  try {
    device = torch::Device(text);
  } catch (const c10::Error&) {
    throw Error(ErrorKind::usage, fmt::format("--device: '{}' is not a device", text),
                "use cpu, cuda or cuda:0");
  }
  if (device.is_cpu()) return device;
  if (!device.is_cuda()) {
    throw Error(ErrorKind::usage, fmt::format("--device: '{}' is not supported", text),
                "use cpu, cuda or cuda:0");
  }
  const int64_t count =
      torch::cuda::is_available() ? static_cast<int64_t>(torch::cuda::device_count()) : 0;
  if (device.index() >= count || count == 0) {
    throw Error(ErrorKind::usage,
                fmt::format("--device: '{}' does not exist ({} CUDA devices found)", text, count),
                "use cpu, or see `eqm doctor`");
  }
  return device;
}

}  // namespace

void RuntimeOptions::declare(OptionSet& options) {
  options.section("runtime");
  options.text("device", device, "cpu, cuda or cuda:N");
  options.count("threads", threads, Range::between(0, 1024), "threads; 0 takes every processor");
  options.choice("precision", precision, {"float32", "float64", "bfloat16"},
                 "of all numbers; bfloat16 is for the matrix products of training only");
}

int64_t usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

namespace {

// Activations come and go every step. By default glibc returns such blocks to the system at once
// and page faults cost a tenth of the time; kept, they are simply used again.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLargestThreshold = 32 << 20;  // glibc refuses more
  mallopt(M_MMAP_THRESHOLD, kLargestThreshold);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace

torch::TensorOptions start_runtime(const RuntimeOptions& options) {
  keep_freed_memory();
  const int64_t threads = options.threads > 0 ? options.threads : usable_processors();
  at::set_num_threads(static_cast<int>(threads));
  return torch::TensorOptions()
      .device(device_from(options.device))
      .dtype(options.precision == "float64" ? torch::kFloat64 : torch::kFloat32);
}

}  // namespace eqm
