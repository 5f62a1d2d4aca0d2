// A field is a gradient landscape: it answers ∇E(x), pointing uphill, for a batch of states. One
// descends with x ← x - η ∇E(x). Fields are immutable: const calls may come from several threads at
// once.
#pragma once

#include "eqm/backbone/backbone.h"
#include "eqm/tensor/torch.h"

namespace eqm {

struct GradientAndEnergy {
  Tensor gradient;  // like x
  Tensor energy;    // [B]
};

class Field {
 public:
  virtual ~Field() = default;

  // ∇E at x [B, ...], under the condition of each row.
  virtual Tensor gradient(const Tensor& x, const Condition& condition) const = 0;

  virtual bool has_energy() const { return false; }
  // Throws a usage error where no explicit energy exists.
  virtual GradientAndEnergy gradient_and_energy(const Tensor& x, const Condition& condition) const;

  // The label that means "no label", for guidance; -1 when there is none.
  virtual int64_t null_label() const { return -1; }
  // Labels are numbers below this, the null class included; 0 for a field without any.
  virtual int64_t label_count() const { return 0; }
  // About how many numbers a row of a batch keeps alive during an evaluation.
  virtual double activation_floats_per_row() const { return 0; }
};

}  // namespace eqm
