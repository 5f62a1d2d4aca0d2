// eqm_bench: ours and the plain LibTorch composition of the same network, interleaved in one
// process, as medians; with the share of the FMA peak measured in the same run.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <vector>

#include <fmt/format.h>

#include "bench/fma_peak.h"
#include "bench/plain_sit.h"
#include "eqm/landscape/objective.h"
#include "eqm/tensor/blas_kernels.h"
#include "eqm/tensor/machine.h"
#include "eqm/tensor/noise_tensor.h"
#include "eqm/tensor/runtime.h"

namespace eqm::bench {
namespace {

double median_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Multiply-adds of one forward, times two: linear maps and attention.
double forward_flops(const SitConfig& config, int64_t batch) {
  const auto d = static_cast<double>(config.hidden_size);
  const double side = static_cast<double>(config.input_size / config.patch_size);
  const double tokens = side * side;
  const double patch =
      static_cast<double>(config.patch_size * config.patch_size * config.in_channels);
  const double block =
      tokens * (4 * d * d + 2 * config.mlp_ratio * d * d) + 2 * tokens * tokens * d + 6 * d * d;
  return 2 * static_cast<double>(batch) *
         (static_cast<double>(config.depth) * block + 2 * tokens * patch * d + 2 * d * d);
}

void compare(const std::string& name, double flops, double peak, int rounds,
             const std::function<void()>& plain, const std::function<void()>& ours) {
  plain();
  ours();
  std::vector<double> plain_times, our_times;
  for (int i = 0; i < rounds; ++i) {
    plain_times.push_back(seconds(plain));
    our_times.push_back(seconds(ours));
  }
  const double a = median_of(plain_times), b = median_of(our_times);
  std::cout << fmt::format("{:<36} {:>9.1f} {:>9.1f} {:>7.2f} {:>9.0f} {:>7.0f}%\n", name, a * 1e3,
                           b * 1e3, a / b, flops / b * 1e-9, 100 * flops / b * 1e-9 / peak);
}

void run() {
  start_runtime({});
  const int threads = at::get_num_threads();
  const double peak = fma_peak(threads);
  const std::string kernels = loaded_blas().kernels;
  std::cout << fmt::format("FMA peak on {} threads: {:.0f} GFLOP/s; BLAS kernels: {}\n\n", threads,
                           peak, kernels.empty() ? "not told" : kernels);
  std::cout << fmt::format("{:<36} {:>9} {:>9} {:>7} {:>9} {:>8}\n", "", "plain ms", "ours ms",
                           "ratio", "GFLOP/s", "of peak");
  struct Work {
    std::string preset;
    int64_t input, channels, batch;
  };
  for (const Work& work : {Work{"S/2", 32, 4, 8}, Work{"S/2", 32, 4, 1}, Work{"XS/4", 28, 1, 64}}) {
    SitConfig config = sit_preset(work.preset);
    config.input_size = work.input;
    config.in_channels = work.channels;
    config.num_classes = 10;
    Sit sit(config);
    const Tensor x = normal_rows({}, work.batch, sit.state_shape(), torch::kFloat32);
    const Tensor labels = torch::zeros({work.batch}, torch::kInt64);
    const double flops = forward_flops(config, work.batch);
    {
      const torch::NoGradGuard guard;
      compare(
          fmt::format("{} forward, batch {}", work.preset, work.batch), flops, peak, 7,
          [&] { plain_forward(sit, x, labels); },
          [&] { sit.forward(x, {.labels = labels, .time = {}}); });
    }
    // A training step's arithmetic is about three forwards.
    compare(
        fmt::format("{} forward + backward, batch {}", work.preset, work.batch), 3 * flops, peak, 5,
        [&] { plain_forward(sit, x, labels).square().mean().backward(); },
        [&] { sit.forward(x, {.labels = labels, .time = {}}).output.square().mean().backward(); });
  }
}

}  // namespace
}  // namespace eqm::bench

int main(int, char** argv) {
  eqm::restart_with_fitting_blas_kernels(argv);  // as the program does
  eqm::bench::run();
}
