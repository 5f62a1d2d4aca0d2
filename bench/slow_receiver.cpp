// Whether a slow receiver of outcomes slows the engine's ticks: samples of a model whose receiver
// does nothing, waits 50 ms, or decodes a latent by an autoencoder with random weights, on the
// thread that ticks and on the consumer's. Ticks per second count up to the last tick; what the
// consumer does after it slows none. slow_receiver MODEL [SAMPLES]
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/codec/vae.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/atomic_folder.h"
#include "eqm/landscape/labels.h"
#include "eqm/tensor/named_tensors.h"
#include "eqm/tensor/noise_tensor.h"
#include "eqm/tensor/process.h"

namespace eqm {
namespace {

constexpr int64_t kRows = 64;
constexpr int64_t kSteps = 250;
constexpr auto kWait = std::chrono::milliseconds(50);

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Pace {
  double ticks_per_second = 0;
  double seconds = 0;  // until everything is delivered
};

Pace measure(const LearnedField& field, int64_t samples, Delivery delivery,
             const std::function<void()>& receive) {
  SamplingSpec spec = {.labels = labels_in_turn(field.model(), samples), .count = samples};
  spec.descent = {.rule = RuleKind::nesterov, .limit = kSteps};
  spec.capacity = kRows;
  spec.delivery = delivery;
  spec.done = [&](int64_t, const Outcome&) { receive(); };
  const auto start = Clock::now();
  int64_t ticks = 0;
  double last = 0;
  spec.go_on = [&](const EngineCounts& counts) {
    if (counts.ticks > ticks) last = seconds_since(start);
    ticks = counts.ticks;
    return true;
  };
  run_sampling(field, spec);
  return {.ticks_per_second = static_cast<double>(ticks) / last, .seconds = seconds_since(start)};
}

// Of a size that keeps activations finite.
Tensor random_weight(const std::string& name, const Shape& shape, uint64_t number) {
  if (name.ends_with("bias")) return torch::zeros(shape);
  if (shape.size() == 1) return torch::ones(shape);  // of a normalisation
  const auto inputs = static_cast<double>(c10::multiply_integers(shape) / shape[0]);
  return normal_rows({.seed = 1, .sample = number}, 1, shape, torch::kFloat32).squeeze(0) /
         std::sqrt(inputs);
}

// A narrow one of Stable Diffusion's kind, so that decoding takes tenths of a second.
Vae made_autoencoder() {
  const VaeConfig config = {.channels = {32, 64, 128, 128}};
  NamedTensors weights;
  for (const auto& [name, shape] : vae_shapes(config)) {
    weights.emplace_back(name, random_weight(name, shape, weights.size()));
  }
  const AtomicFolder folder(std::filesystem::temp_directory_path() / "eqm-slow-receiver");
  save_tensors(folder.path() / "vae.safetensors", weights);
  return Vae::load(folder.path() / "vae.safetensors", torch::kFloat32);
}

void bench(const std::string& path, int64_t samples) {
  prepare_process();
  const LearnedField field(load_model(path, torch::kFloat32));
  const Vae autoencoder = made_autoencoder();
  const Tensor latent = torch::randn({1, autoencoder.config().latent_channels, 16, 16});
  const auto wait = [] { std::this_thread::sleep_for(kWait); };
  const auto decode = [&] {
    const torch::NoGradGuard guard;
    autoencoder.decode(latent);
  };
  decode();  // the first pays for memory
  const auto start = Clock::now();
  decode();
  fmt::print("{} samples of {} steps, {} at once; decoding alone takes {:.0f} ms\n", samples,
             kSteps, kRows, 1000 * seconds_since(start));
  fmt::print("{:<28} {:>9} {:>9}\n", "receiver", "ticks/s", "seconds");
  const auto row = [&](const std::string& name, Delivery delivery,
                       const std::function<void()>& receive) {
    const Pace pace = measure(field, samples, delivery, receive);
    fmt::print("{:<28} {:>9.1f} {:>9.1f}\n", name, pace.ticks_per_second, pace.seconds);
  };
  measure(field, kRows, Delivery::engine_thread, [] {});  // warms up
  row("none", Delivery::engine_thread, [] {});
  row("50 ms, engine's thread", Delivery::engine_thread, wait);
  row("50 ms, consumer's thread", Delivery::consumer_thread, wait);
  row("decoder, engine's thread", Delivery::engine_thread, decode);
  row("decoder, consumer's thread", Delivery::consumer_thread, decode);
}

}  // namespace
}  // namespace eqm

int main(int count, char** arguments) {
  if (count < 2) {
    std::cerr << "slow_receiver MODEL [SAMPLES]\n";
    return 2;
  }
  try {
    eqm::bench(arguments[1], count > 2 ? std::stoll(arguments[2]) : 256);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
