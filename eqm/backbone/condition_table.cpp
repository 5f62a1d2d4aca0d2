#include "eqm/backbone/condition_table.h"

#include <set>

namespace eqm {

void ConditionTable::add(const std::vector<int64_t>& labels) {
  const torch::NoGradGuard guard;
  const auto count = static_cast<int64_t>(labels.size());
  const Conditioning fresh =
      backbone_->conditioning({.labels = torch::tensor(labels, torch::kInt64), .time = {}}, count);
  const auto known = static_cast<int64_t>(places_.size());
  for (int64_t i = 0; i < count; ++i) places_[labels[static_cast<size_t>(i)]] = known + i;
  if (table_.empty()) {
    table_ = fresh;
    return;
  }
  for (size_t k = 0; k < table_.size(); ++k) {
    if (table_[k].defined()) table_[k] = torch::cat({table_[k], fresh[k]});
  }
}

Conditioning ConditionTable::rows(const Tensor& labels, int64_t batch) {
  const Tensor wanted = backbone_->effective_labels(labels, batch, torch::kCPU).contiguous();
  const auto* values = wanted.data_ptr<int64_t>();
  const std::lock_guard lock(mutex_);
  std::set<int64_t> missing;
  for (int64_t i = 0; i < batch; ++i) {
    if (!places_.contains(values[i])) missing.insert(values[i]);
  }
  if (!missing.empty()) add({missing.begin(), missing.end()});
  const Tensor index = torch::empty({batch}, torch::kInt64);
  for (int64_t i = 0; i < batch; ++i) index.data_ptr<int64_t>()[i] = places_.at(values[i]);
  Conditioning chosen;
  for (const Tensor& part : table_) {
    chosen.push_back(part.defined() ? part.index_select(0, index.to(part.device())) : part);
  }
  return chosen;
}

int64_t ConditionTable::computed() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(places_.size());
}

}  // namespace eqm
