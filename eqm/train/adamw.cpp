#include "eqm/train/adamw.h"

#include <unordered_map>
#include <utility>

namespace eqm {

void AdamWOptions::declare(OptionSet& options) {
  const Range below_one = Range::between(0, 0.999999999);
  options.number("beta1", beta1, below_one, "AdamW's β1, the decay of the mean gradient");
  options.number("beta2", beta2, below_one, "AdamW's β2, the decay of the mean squared gradient");
  options.number("epsilon", epsilon, Range::between(1e-30, 1), "AdamW's ε");
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

void AdamW::step(double lr, std::vector<kernel::WeightUpdate> averages, double decay) {
  ++steps_;
  std::vector<kernel::WeightUpdate> updates = std::move(averages);
  std::unordered_map<const void*, size_t> place_of;  // of a weight among them
  for (size_t i = 0; i < updates.size(); ++i) {
    place_of[updates[i].weight.unsafeGetTensorImpl()] = i;
  }
  for (size_t i = 0; i < weights_.size(); ++i) {
    const Tensor& weight = weights_[i].second;
    if (!weight.grad().defined()) continue;  // some the objective may not reach
    const auto [place, added] = place_of.try_emplace(weight.unsafeGetTensorImpl(), updates.size());
    if (added) updates.push_back({weight, {}, {}, {}, {}});
    kernel::WeightUpdate& update = updates[place->second];
    update.gradient = weight.grad();
    update.first = first_[i];
    update.second = second_[i];
  }
  kernel::update_weights(updates,
                         {.rate = lr,
                          .weight_decay = options_.weight_decay,
                          .beta1 = options_.beta1,
                          .beta2 = options_.beta2,
                          .epsilon = options_.epsilon,
                          .number = steps_},
                         decay);
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
