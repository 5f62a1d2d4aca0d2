// Whole steps of the models that matter: forwards, training steps, ticks of sampling.
#include <fmt/format.h>

#include "bench/plain_sit.h"
#include "bench/plain_training.h"
#include "bench/works.h"
#include "eqm/landscape/model.h"
#include "eqm/tensor/noise_tensor.h"
#include "eqm/train/step.h"

namespace eqm::bench {
namespace {

struct Network {
  std::string preset;
  int64_t input, channels;
};
const Network kLatents = {"S/2", 32, 4}, kFashion = {"XS/4", 28, 1};

std::shared_ptr<Sit> make(const Network& network) {
  SitConfig config = sit_preset(network.preset);
  config.input_size = network.input;
  config.in_channels = network.channels;
  config.num_classes = 10;
  auto sit = std::make_shared<Sit>(config);
  sit->initialise(0);
  // Nothing stays at zero, so that every number takes the time that trained ones take.
  const torch::NoGradGuard guard;
  for (const Tensor& weight : sit->parameters()) weight.add_(torch::randn_like(weight), 0.02);
  return sit;
}

// Multiply-adds of one forward, times two: linear maps and attention.
double forward_flops(const SitConfig& config, int64_t batch) {
  const auto d = static_cast<double>(config.hidden_size);
  const double side = static_cast<double>(config.input_size / config.patch_size);
  const double tokens = side * side;
  const double patch =
      static_cast<double>(config.patch_size * config.patch_size * config.in_channels);
  const double block =
      tokens * (4 * d * d + 2 * config.mlp_ratio * d * d) + 2 * tokens * tokens * d;
  return 2 * static_cast<double>(batch) *
         (static_cast<double>(config.depth) * block + 2 * tokens * patch * d);
}

Model model_of(std::shared_ptr<Sit> sit, ObjectiveKind kind) {
  Model model;
  model.backbone = std::move(sit);
  model.objective.kind = kind;
  return model;
}

// A tick of sampling: the gradient of a batch, its conditioning from the table.
Work forward_work(const Network& network, int64_t batch) {
  const std::shared_ptr<Sit> sit = make(network);
  const Tensor x = normal_rows({}, batch, sit->state_shape(), torch::kFloat32);
  const Tensor labels = torch::arange(batch).remainder(10);
  const auto field = std::make_shared<LearnedField>(model_of(sit, ObjectiveKind::eqm));
  const auto memory = std::make_shared<Workspace>();  // as the engine has
  return {forward_flops(sit->config(), batch),
          [=] {
            const torch::NoGradGuard guard;
            plain_forward(*sit, x, labels);
          },
          [=] {
            const WorkspaceScope scope(*memory);
            field->gradient(x, {.labels = labels, .time = {}});
          }};
}

Work training_work(const Network& network, int64_t batch, ObjectiveKind kind) {
  const std::shared_ptr<Sit> sit = make(network);
  const Shape shape = sit->state_shape();
  const TrainingBatch data = {.x = normal_rows({.seed = 1}, batch, shape, torch::kFloat32),
                              .noise = normal_rows({.seed = 2}, batch, shape, torch::kFloat32),
                              .gamma = uniform_rows({.seed = 3}, batch, torch::kFloat32),
                              .labels = torch::arange(batch).remainder(10)};
  const auto state = std::make_shared<TrainingState>(model_of(sit, kind), AdamWOptions());
  const auto plain = std::make_shared<PlainTraining>(make(network), kind);
  // A training step's arithmetic is about three forwards; an energy's is no round number of them.
  const double flops = kind == ObjectiveKind::eqm ? 3 * forward_flops(sit->config(), batch) : 0;
  return {flops, [=] { plain->step(data); },
          [=] {
            train_step(*state, TrainOptions(), {&data, 1}, Runtime());
          }};
}

}  // namespace

std::vector<NamedWork> step_works() {
  const auto forward = [](const char* name, const Network& network, int64_t batch) {
    return NamedWork{name, [=] { return forward_work(network, batch); }};
  };
  const auto training = [](const char* name, const Network& network, int64_t batch,
                           ObjectiveKind kind) {
    return NamedWork{name, [=] { return training_work(network, batch, kind); }};
  };
  return {forward("S/2 forward, batch 8", kLatents, 8),
          forward("S/2 forward, batch 1", kLatents, 1),
          training("S/2 training step, batch 8", kLatents, 8, ObjectiveKind::eqm),
          training("Fashion XS/4 training step, batch 128", kFashion, 128, ObjectiveKind::eqm),
          forward("Fashion XS/4 sampling tick, batch 64", kFashion, 64),
          training("Fashion XS/4 EqM-E dot step, batch 32", kFashion, 32, ObjectiveKind::eqm_dot)};
}

std::vector<NamedWork> sweep_works() {
  std::vector<NamedWork> works;
  const auto add = [&](const char* axis, int64_t at, const Network& network, int64_t batch) {
    const int64_t side = network.input / sit_preset(network.preset).patch_size;
    works.push_back({fmt::format("{}, {} tokens, batch {}", network.preset, side * side, batch),
                     [=] { return forward_work(network, batch); }, axis, static_cast<double>(at)});
  };
  for (const int64_t batch : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
    add("batch", batch, kFashion, batch);
  }
  for (const int64_t input : {16, 24, 32, 48, 64}) {
    add("tokens", input * input / 4, {"XS/2", input, 4}, 2);
  }
  for (const char* preset : {"XS/2", "S/2", "B/2", "L/2"}) {
    add("width", sit_preset(preset).hidden_size, {preset, 32, 4}, 1);
  }
  return works;
}

}  // namespace eqm::bench
