#include "eqm/train/adamw.h"

#include <cmath>
#include <utility>

namespace eqm {

void AdamWOptions::declare(OptionSet& options) {
  const Range below_one = Range::between(0, 0.999999999);
  options.number("beta1", beta1, below_one, "AdamW's memory of gradients");
  options.number("beta2", beta2, below_one, "AdamW's memory of squared gradients");
  options.number("epsilon", epsilon, {.least = 0, .most = 1, .above = true}, "AdamW's ε");
  options.number("weight-decay", weight_decay, Range::between(0, 10), "AdamW's weight decay");
}

AdamW::AdamW(NamedTensors weights, const AdamWOptions& options)
    : options_(options), weights_(std::move(weights)) {
  const torch::NoGradGuard guard;
  for (const auto& entry : weights_) {
    first_.push_back(torch::zeros_like(entry.second));
    second_.push_back(torch::zeros_like(entry.second));
  }
}

void AdamW::zero_gradients() {
  for (auto& entry : weights_) entry.second.mutable_grad() = Tensor();
}

void AdamW::step(double lr) {
  const torch::NoGradGuard guard;
  ++steps_;
  const auto n = static_cast<double>(steps_);
  const double correction1 = 1 - std::pow(options_.beta1, n);
  const double correction2 = 1 - std::pow(options_.beta2, n);
  for (size_t i = 0; i < weights_.size(); ++i) {
    const Tensor& weight = weights_[i].second;
    const Tensor gradient = weight.grad();
    if (!gradient.defined()) continue;  // a weight the objective does not reach
    if (options_.weight_decay != 0) weight.mul_(1 - lr * options_.weight_decay);
    first_[i].mul_(options_.beta1).add_(gradient, 1 - options_.beta1);
    second_[i].mul_(options_.beta2).addcmul_(gradient, gradient, 1 - options_.beta2);
    const Tensor scale = second_[i].sqrt().div_(std::sqrt(correction2)).add_(options_.epsilon);
    weight.addcdiv_(first_[i], scale, -lr / correction1);
  }
}

NamedTensors AdamW::memory() const {
  NamedTensors memory;
  for (size_t i = 0; i < weights_.size(); ++i) {
    memory.emplace_back("first." + weights_[i].first, first_[i]);
    memory.emplace_back("second." + weights_[i].first, second_[i]);
  }
  return memory;
}

}  // namespace eqm
