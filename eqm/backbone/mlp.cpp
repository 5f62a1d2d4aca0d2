#include "eqm/backbone/mlp.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "eqm/backbone/fields.h"
#include "eqm/backbone/initialise.h"
#include "eqm/base/error.h"
#include "eqm/kernel/ops.h"

namespace eqm {

void check(const MlpConfig& config) {
  // Beyond these a configuration is a damaged or hostile file, not a model.
  const bool fits = config.dimension >= 1 && config.dimension <= 1'000'000 && config.width >= 1 &&
                    config.width <= 16384 && config.depth >= 1 && config.depth <= 256 &&
                    config.fourier >= 0 && config.fourier <= 16384 && config.num_classes >= 0 &&
                    config.num_classes <= 10'000'000 && config.input_scale > 0 &&
                    std::isfinite(config.input_scale) && std::isfinite(config.fourier_scale);
  if (!fits) {
    throw Error(ErrorKind::usage, "this MLP cannot be built: a size is out of range",
                "dimension, width, depth and scale must be positive and of sane size");
  }
}

double weight_count(const MlpConfig& config) {
  const auto dimension = static_cast<double>(config.dimension),
             width = static_cast<double>(config.width);
  const auto fourier = static_cast<double>(config.fourier);
  const double inputs = dimension + 2 * fourier + (config.time_input ? 1 : 0);
  return dimension * fourier + static_cast<double>(config.num_classes + 1) * width +
         (inputs + 1) * width + static_cast<double>(config.depth - 1) * (width + 1) * width +
         (width + 1) * dimension;
}

double activation_count(const MlpConfig& config) {
  return static_cast<double>(config.depth * config.width);
}

Mlp::Mlp(const MlpConfig& config) : config_(config) {
  check(config);
  const int64_t inputs = config.dimension + 2 * config.fourier + (config.time_input ? 1 : 0);
  frequencies_ = register_parameter("frequencies", torch::empty({config.dimension, config.fourier}),
                                    /*requires_grad=*/false);
  label_table_ = add_layer(*this, "labels", {config.num_classes + 1, config.width}, Bias::none);
  for (int64_t i = 0; i < config.depth; ++i) {
    layers_.push_back(add_layer(*this, fmt::format("layer{}", i),
                                {config.width, i == 0 ? inputs : config.width}));
  }
  out_ = add_layer(*this, "out", {config.dimension, config.width});
}

void Mlp::initialise(uint64_t seed) {
  const torch::NoGradGuard guard;
  for (const Tensor& parameter : parameters()) parameter.zero_();
  Initialiser fill(seed);
  fill.normal(frequencies_, config_.fourier_scale);
  fill.normal(label_table_->weight, 0.02);
  for (const auto& layer : layers_) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(layer->weight.size(1)));
    fill.uniform(layer->weight, bound * std::numbers::sqrt3);
    fill.uniform(layer->bias, bound);
  }
  fill.uniform(out_->weight, 1.0 / std::sqrt(static_cast<double>(config_.width)));
}

Tensor Mlp::features(const Tensor& x, const Tensor& time) const {
  const Tensor point = x / config_.input_scale;
  std::vector<Tensor> parts = {point};
  if (config_.fourier > 0) {
    const Tensor angles = torch::matmul(point, frequencies_);
    parts.push_back(angles.sin());
    parts.push_back(angles.cos());
  }
  if (time.defined()) parts.push_back(time);
  return parts.size() == 1 ? point : torch::cat(parts, 1);
}

Conditioning Mlp::conditioning(const Condition& condition, int64_t batch) const {
  const torch::TensorOptions type = options_of(*this);
  const Tensor labels = effective_labels(condition.labels, batch, type.device());
  Tensor label_rows, time;
  if (config_.num_classes > 0) label_rows = look_up(*label_table_, labels);
  if (config_.time_input) {
    time = condition.time.defined() ? condition.time.to(type) : torch::zeros({batch}, type);
    time = time.unsqueeze(1);
  }
  return {label_rows, time};
}

Prediction Mlp::forward_with(const Tensor& x, const Conditioning& conditioning) const {
  if (x.dim() != 2 || x.size(1) != config_.dimension) {
    throw Error(ErrorKind::usage,
                fmt::format("the model takes points with {} coordinates", config_.dimension),
                "give one row per point: [n, dimension]");
  }
  const Tensor& label_rows = conditioning.at(0);
  Tensor h = features(x, conditioning.at(1));
  for (size_t i = 0; i < layers_.size(); ++i) {
    h = kernel::linear(h, layers_[i]->map());
    if (i == 0 && label_rows.defined()) h = h + label_rows;
    h = torch::silu(h);
  }
  return {.output = kernel::linear(h, out_->map()), .features = h};
}

double Mlp::activation_floats_per_row() const {
  return static_cast<double>(2 * config_.width + 4 * config_.fourier + config_.dimension);
}

std::string to_json(const MlpConfig& config) {
  return architecture_of("mlp", config);
}

MlpConfig mlp_config_from_json(const std::string& text) {
  return config_from_json<MlpConfig>("an MLP", text);
}

}  // namespace eqm
