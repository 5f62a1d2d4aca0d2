// AdamW (Loshchilov & Hutter, 2019) over named weights. Its whole memory is tensors and a count, so
// that a checkpoint restores it bit for bit.
#pragma once

#include <vector>

#include "eqm/base/options.h"
#include "eqm/kernel/update.h"
#include "eqm/tensor/named_tensors.h"

namespace eqm {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;

  void declare(OptionSet& options);
};

class AdamW {
 public:
  // Changes these weights, by the gradients they hold.
  AdamW(NamedTensors weights, const AdamWOptions& options);

  void step(double lr) { step(lr, {}, 0); }
  // The same, and averages follow in the same pass. `averages` names these very weights, or others
  // that stay, each once.
  void step(double lr, std::vector<kernel::WeightUpdate> averages, double decay);
  void zero_gradients();

  // The moments as "first.<weight>" and "second.<weight>"; the tensors are the memory itself.
  NamedTensors memory() const;

  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }

 private:
  AdamWOptions options_;
  NamedTensors weights_;
  std::vector<Tensor> first_, second_;  // moments of the gradients, one per weight
  int64_t steps_ = 0;
};

}  // namespace eqm
