// Conditioning is a table: with time fixed, all that a label does to a network (every block's
// modulation) is a constant of the label, computed once and held. Safe from several threads.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "eqm/backbone/backbone.h"

namespace eqm {

class ConditionTable {
 public:
  // The backbone's weights must not change afterwards.
  explicit ConditionTable(std::shared_ptr<const Backbone> backbone)
      : backbone_(std::move(backbone)) {}

  // The conditioning of each label, without time; undefined labels mean the null class.
  Conditioning rows(const Tensor& labels, int64_t batch);

  int64_t computed() const;  // labels so far

 private:
  void add(const std::vector<int64_t>& labels);

  std::shared_ptr<const Backbone> backbone_;
  mutable std::mutex mutex_;           // of what follows
  std::map<int64_t, int64_t> places_;  // labels to rows of the table
  Conditioning table_;
};

}  // namespace eqm
