#include "eqm/tensor/runtime.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>
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

}  // namespace

int checked_threads(int64_t asked) {
  if (asked > most_threads()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} threads are asked for, and this machine has {} processor{}", asked,
                            usable_processors(), usable_processors() == 1 ? "" : "s"),
                fmt::format("ask for at most {}; more slow each other down", most_threads()));
  }
  if (asked > openmp_thread_limit()) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} threads are asked for, and OpenMP grants {}", asked, openmp_thread_limit()),
        "ask for fewer threads, or unset OMP_THREAD_LIMIT");
  }
  return static_cast<int>(asked);
}

namespace {

void check_bfloat16(torch::Device device, Bfloat16 bfloat16) {
  if (bfloat16 == Bfloat16::useless) {
    throw Error(ErrorKind::usage, "bfloat16 is for the matrix products of training only",
                "use {precision} float32 here");
  }
  if (device.is_cpu() && onednn_dies_of_amx()) {
    throw Error(ErrorKind::usage, "this oneDNN crashes in bfloat16 on a processor with AMX",
                "start with ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 in the environment");
  }
  if (computes_bfloat16(device)) return;
  throw Error(ErrorKind::usage, "LibTorch cannot compute in bfloat16 here",
              std::getenv("ONEDNN_MAX_CPU_ISA") ? "unset ONEDNN_MAX_CPU_ISA, or use float32"
                                                : "use {precision} float32");
}

}  // namespace

void RuntimeOptions::declare(OptionSet& options) {
  options.section("runtime");
  options.text("device", device, "cpu, cuda or cuda:N");
  options.count("threads", threads, Range::between(0, kMostThreads),
                "number of threads; 0 takes $OMP_NUM_THREADS, or one per processor");
  options.choice("precision", precision, {"float32", "float64", "bfloat16"},
                 "numeric precision; bfloat16 applies to the matrix products of training only");
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

Runtime make_runtime(const RuntimeOptions& options, Bfloat16 bfloat16) {
  Runtime runtime;
  runtime.threads = checked_threads(options.threads);
  runtime.device = device_from(options.device);
  runtime.dtype = options.precision == "float64" ? torch::kFloat64 : torch::kFloat32;
  runtime.autocast = options.precision == "bfloat16";
  if (runtime.autocast) check_bfloat16(runtime.device, bfloat16);
  return runtime;
}

RuntimeScope::RuntimeScope(const Runtime& runtime) {
  if (runtime.kernels) path_.emplace(*runtime.kernels);
  if (runtime.threads > 0) threads_before_ = set_openmp_team(runtime.threads);
}

RuntimeScope::~RuntimeScope() {
  if (threads_before_ > 0) set_openmp_team(threads_before_);
}

}  // namespace eqm
