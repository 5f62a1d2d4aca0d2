#include "eqm/backbone/backbone.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/backbone/convnet.h"
#include "eqm/backbone/mlp.h"
#include "eqm/backbone/sit.h"
#include "eqm/backbone/unet.h"
#include "eqm/base/error.h"

namespace eqm {
namespace {

template <class Network, class Config>
std::shared_ptr<Backbone> build(const Config& config, double most_weights) {
  check(config);
  if (weight_count(config) > most_weights) {
    throw Error(ErrorKind::input,
                fmt::format("the architecture asks for {:.0f} weights where at most {:.0f} can be",
                            weight_count(config), most_weights),
                "do architecture and weights belong together?");
  }
  return std::make_shared<Network>(config);
}

}  // namespace

Condition Condition::rows(const Tensor& index) const {
  const auto some = [&](const Tensor& all) {
    return all.defined() ? all.to(index.device()).index_select(0, index) : all;
  };
  return {.labels = some(labels), .time = some(time), .dropout = some(dropout)};
}

Tensor Backbone::effective_labels(const Tensor& labels, int64_t batch, torch::Device device) const {
  const int64_t null = null_label();
  if (!labels.defined()) {
    if (null < 0) {
      throw Error(ErrorKind::usage, "this model has no null class, so every sample needs a label",
                  fmt::format("give labels from 0 to {}", num_classes() - 1));
    }
    return torch::full({batch}, null, torch::TensorOptions(torch::kInt64).device(device));
  }
  const int64_t most = std::max(null, num_classes() - 1);
  const bool valid = labels.numel() == 0 ||
                     (labels.min().item<int64_t>() >= 0 && labels.max().item<int64_t>() <= most);
  if (labels.size(0) != batch || !valid) {
    throw Error(ErrorKind::usage, "the labels do not fit the batch or the model's classes",
                fmt::format("{} labels from 0 to {} are needed", batch, most));
  }
  return labels.to(device);
}

std::shared_ptr<Backbone> make_backbone(const std::string& architecture, double most_weights) {
  try {
    const nlohmann::json json = nlohmann::json::parse(architecture);
    const std::string kind = json.at("kind");
    if (kind == "sit") return build<Sit>(sit_config_from_json(architecture), most_weights);
    if (kind == "unet") return build<Unet>(unet_config_from_json(architecture), most_weights);
    if (kind == "mlp") return build<Mlp>(mlp_config_from_json(architecture), most_weights);
    if (kind == "convnet") {
      return build<ConvNet>(convnet_config_from_json(architecture), most_weights);
    }
    throw Error(ErrorKind::input, fmt::format("unknown backbone '{}'", kind),
                "one of: sit, unet, mlp, convnet");
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::input, "the model's architecture is not readable JSON",
                "was the file written by eqm?");
  }
}

int64_t parameter_count(const Backbone& backbone) {
  int64_t count = 0;
  for (const Tensor& parameter : backbone.parameters()) count += parameter.numel();
  return count;
}

torch::TensorOptions options_of(const Backbone& backbone) {
  return backbone.parameters().front().options().requires_grad(false);
}

}  // namespace eqm
