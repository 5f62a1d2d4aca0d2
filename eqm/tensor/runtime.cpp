#include "eqm/tensor/runtime.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sched.h>
#include <torch/cuda.h>

#include "eqm/base/error.h"
#include "eqm/tensor/amx.h"
#include "eqm/tensor/autocast.h"
#include "eqm/tensor/openmp.h"

namespace eqm {
namespace {

constexpr int kMostProcessors = 1 << 20;  // far beyond any machine; ends the search for its size

torch::Device device_from(const std::string& text) {
  torch::Device device = torch::kCPU;
  try {
    device = torch::Device(text);
  } catch (const c10::Error&) {
    throw Error(ErrorKind::usage, fmt::format("device '{}' is not a device", text),
                "use cpu, cuda or cuda:0");
  }
  if (device.is_cpu()) return device;
  if (!device.is_cuda()) {
    throw Error(ErrorKind::usage, fmt::format("device '{}' is not supported", text),
                "use cpu, cuda or cuda:0");
  }
  const int64_t count =
      torch::cuda::is_available() ? static_cast<int64_t>(torch::cuda::device_count()) : 0;
  if (device.index() >= count || count == 0) {
    throw Error(ErrorKind::usage,
                fmt::format("device '{}' does not exist ({} CUDA devices found)", text, count),
                "use cpu, or see `eqm doctor`");
  }
  return device;
}

constexpr int64_t kThreadsPerProcessor = 4, kFewProcessors = 4;
constexpr int64_t kMostThreads = 65536;  // on any machine

// The first of the numbers of OMP_NUM_THREADS, which is a list, one for each level; 0 if that is
// not a number of threads that makes sense here.
int64_t threads_in_environment() {
  const char* variable = std::getenv("OMP_NUM_THREADS");
  if (variable == nullptr) return 0;
  const std::string_view text(variable, std::strcspn(variable, ","));
  int64_t wanted = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wanted);
  const bool number = error == std::errc() && end == text.data() + text.size();
  return number && wanted > 0 && wanted <= most_threads() ? wanted : 0;
}

int64_t threads_from(int64_t asked) {
  const int64_t most = largest_openmp_team();
  if (asked == 0) {
    // As every program with OpenMP: the variable, or all there are. OpenMP itself warns of one that
    // is no number.
    const int64_t wanted = threads_in_environment();
    return std::min(wanted > 0 ? wanted : usable_processors(), most);
  }
  if (asked > most_threads()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} threads are asked for, and this machine has {} processor{}", asked,
                            usable_processors(), usable_processors() == 1 ? "" : "s"),
                fmt::format("ask for at most {}; more slow each other down", most_threads()));
  }
  if (asked > most) {
    throw Error(ErrorKind::usage,
                fmt::format("{} threads are asked for, and OpenMP grants {}", asked, most),
                "ask for fewer threads, or unset OMP_THREAD_LIMIT");
  }
  return asked;
}

}  // namespace

void RuntimeOptions::declare(OptionSet& options) {
  options.section("runtime");
  options.text("device", device, "cpu, cuda or cuda:N");
  options.count("threads", threads, Range::between(0, kMostThreads),
                "threads; 0 takes $OMP_NUM_THREADS, or every processor");
  options.choice("precision", precision, {"float32", "float64", "bfloat16"},
                 "of all numbers; bfloat16 is for the matrix products of training only");
}

int64_t usable_processors() {
  // The kernel refuses a set that is smaller than its own.
  for (int size = CPU_SETSIZE; size <= kMostProcessors; size *= 2) {
    const auto free = [](cpu_set_t* set) { CPU_FREE(set); };
    const std::unique_ptr<cpu_set_t, decltype(free)> set(CPU_ALLOC(size), free);
    const size_t bytes = CPU_ALLOC_SIZE(size);
    if (!set) break;
    CPU_ZERO_S(bytes, set.get());
    if (sched_getaffinity(0, bytes, set.get()) == 0) {
      return std::max(1, CPU_COUNT_S(bytes, set.get()));
    }
    if (errno != EINVAL) break;
  }
  return 1;
}

int64_t most_threads() {
  return kThreadsPerProcessor * std::max(kFewProcessors, usable_processors());
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
  keep_old_onednn_from_amx();
  at::set_num_threads(static_cast<int>(threads_from(options.threads)));
  const torch::Device device = device_from(options.device);
  if (options.precision == "bfloat16" && !computes_bfloat16(device)) {
    throw Error(ErrorKind::usage, "LibTorch cannot compute in bfloat16 here",
                std::getenv("ONEDNN_MAX_CPU_ISA") ? "unset ONEDNN_MAX_CPU_ISA, or use float32"
                                                  : "use {precision} float32");
  }
  return torch::TensorOptions().device(device).dtype(
      options.precision == "float64" ? torch::kFloat64 : torch::kFloat32);
}

}  // namespace eqm
