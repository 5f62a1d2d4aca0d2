#include "eqm/tensor/machine.h"

#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/cuda.h>

#include "eqm/tensor/loaded_symbol.h"
#include "eqm/tensor/openmp.h"
#include "eqm/tensor/runtime.h"
#include "eqm/tensor/torch.h"

namespace eqm {
namespace {

// The file behind the first mapping whose name starts with one of the given stems.
template <size_t N>
std::string mapped_library(const std::array<std::string_view, N>& stems) {
  std::ifstream maps("/proc/self/maps");
  std::vector<std::string> paths;
  for (std::string line; std::getline(maps, line);) {
    const size_t slash = line.find('/');
    if (slash != std::string::npos) paths.push_back(line.substr(slash));
  }
  for (const std::string_view stem : stems) {
    for (const std::string& path : paths) {
      const std::string file = std::filesystem::path(path).filename();
      if (file.starts_with(stem)) return path;
    }
  }
  return "";
}

std::string simd_levels() {
  std::vector<std::string> levels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) levels.emplace_back("SSE4.2");
  if (__builtin_cpu_supports("avx2")) levels.emplace_back("AVX2");
  if (__builtin_cpu_supports("fma")) levels.emplace_back("FMA");
  if (__builtin_cpu_supports("avx512f")) levels.emplace_back("AVX-512");
#elif defined(__aarch64__)
  levels.emplace_back("NEON");
#endif
  return levels.empty() ? "none known" : fmt::format("{}", fmt::join(levels, ", "));
}

std::string onednn_version() {
  struct Version {  // the leading members of dnnl_version_t, stable since 1.0
    int major, minor, patch;
  };
  if (auto* version = loaded_symbol<const Version*()>("dnnl_version")) {
    return fmt::format("{}.{}.{}", version()->major, version()->minor, version()->patch);
  }
  return at::hasMKLDNN() ? "inside LibTorch" : "";
}

// The instruction set LibTorch's own kernels were dispatched to, from its description of itself.
std::string cpu_capability() {
  const std::string config = at::show_config();
  const std::string_view key = "CPU capability usage: ";
  const size_t start = config.find(key);
  if (start == std::string::npos) return "unknown";
  return config.substr(start + key.size(), config.find('\n', start) - start - key.size());
}

Finding blas_finding() {
  const LoadedBlas blas = loaded_blas();
  if (blas.path.empty()) return {"BLAS", "inside LibTorch", ""};
  switch (blas.threads) {
    case BlasThreads::openmp:
      return {"BLAS",
              fmt::format("{} (OpenMP threads{})", blas.path,
                          blas.kernels.empty() ? "" : ", kernels for " + blas.kernels),
              blas.kernels == "Prescott"
                  ? "OpenBLAS does not know this processor: set OPENBLAS_CORETYPE=Haswell"
                  : ""};
    case BlasThreads::pthreads:
      return {"BLAS", fmt::format("{} (its own threads)", blas.path),
              "it fights LibTorch's OpenMP threads and halves the speed: install "
              "libopenblas0-openmp and build again"};
    case BlasThreads::none:
      return {"BLAS", fmt::format("{} (one thread)", blas.path),
              "a single-threaded BLAS is slow: install libopenblas0-openmp and build again"};
    case BlasThreads::unknown:
      break;
  }
  return {"BLAS", fmt::format("{} (threads unknown)", blas.path), ""};
}

Finding threads_finding() {
  const int in_use = at::get_num_threads();
  const int64_t processors = usable_processors();
  const std::string value = fmt::format("{} of {} processors", in_use, processors);
  if (in_use > processors) {
    return {"threads", value, "more threads than processors slow each other down: ask for fewer"};
  }
  if (openmp_thread_limit() < processors) {
    return {"threads", value, "OpenMP grants no more: unset OMP_THREAD_LIMIT to use all"};
  }
  return {"threads", value, ""};
}

// What a thread of GNU's OpenMP does while it waits for others, which its library read when it was
// loaded.
Finding waiting_finding() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::string policy = variable("OMP_WAIT_POLICY");
  for (char& c : policy) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (policy == "passive") return {"waiting", "threads sleep at once", ""};
  const std::string slow = "beside another program it is slow: unset OMP_WAIT_POLICY";
  if (policy == "active") return {"waiting", "threads never sleep", slow};
  const std::string spins = variable("GOMP_SPINCOUNT");
  if (!spins.empty())
    return {"waiting", fmt::format("threads spin {} times, then sleep", spins), ""};
  return {"waiting", "threads spin for milliseconds, then sleep",
          "beside another program it is slow: set GOMP_SPINCOUNT=3000"};
}

Finding devices_finding() {
  if (!torch::cuda::is_available()) return {"devices", "cpu", ""};
  return {"devices", fmt::format("cpu, {} x cuda", torch::cuda::device_count()), ""};
}

}  // namespace

LoadedBlas loaded_blas() {
  // Debian's libblas.so.3 may be a thin door to the library with the code, which is the one to
  // name.
  LoadedBlas blas;
  blas.path = mapped_library(
      std::array<std::string_view, 4>{"libopenblas", "libblis", "libmkl", "libblas"});
  if (auto* corename = loaded_symbol<char*()>("openblas_get_corename")) blas.kernels = corename();
  if (auto* parallel = loaded_symbol<int()>("openblas_get_parallel")) {
    const int kind = parallel();  // 0 none, 1 pthreads, 2 OpenMP
    blas.threads = kind == 2   ? BlasThreads::openmp
                   : kind == 1 ? BlasThreads::pthreads
                               : BlasThreads::none;
  } else if (blas.path.find("openmp") != std::string::npos) {
    blas.threads = BlasThreads::openmp;
  } else if (blas.path.find("pthread") != std::string::npos) {
    blas.threads = BlasThreads::pthreads;
  } else if (blas.path.find("serial") != std::string::npos ||
             std::filesystem::path(blas.path).filename().string().starts_with("libblas")) {
    blas.threads = BlasThreads::none;
  }
  return blas;
}

std::vector<Finding> inspect_machine() {
  std::vector<Finding> findings;
  findings.push_back({"LibTorch", TORCH_VERSION, ""});
  findings.push_back(blas_finding());
  const std::string onednn = onednn_version();
  findings.push_back(
      {"oneDNN", onednn.empty() ? "absent" : onednn,
       onednn.empty() ? "LibTorch was built without oneDNN; convolutions are slow" : ""});
  findings.push_back(threads_finding());
  findings.push_back(waiting_finding());
  findings.push_back(
      {"SIMD", fmt::format("{}; LibTorch uses {}", simd_levels(), cpu_capability()), ""});
  findings.push_back(devices_finding());
  return findings;
}

}  // namespace eqm
