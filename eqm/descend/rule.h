// An update rule decides where the gradient is asked for and what is done with it. Rules are
// immutable; everything that changes lives in the state, row by row, so that rows can leave and
// enter a batch.
#pragma once

#include <memory>
#include <vector>

#include "eqm/tensor/torch.h"

namespace eqm {

struct DescentState {
  Tensor x;                    // [B, ...]
  std::vector<Tensor> memory;  // what a rule remembers, each [B, ...]

  // The state of some rows only; `index` is [n] int64.
  DescentState rows(const Tensor& index) const;
};

class Rule {
 public:
  virtual ~Rule() = default;
  virtual DescentState start(const Tensor& x) const = 0;
  // The point at which the next gradient is taken.
  virtual Tensor probe(const DescentState& state) const = 0;
  virtual void step(DescentState& state, const Tensor& gradient) const = 0;
};

// x ← x - η ∇E(x)
class GradientDescent final : public Rule {
 public:
  explicit GradientDescent(double eta) : eta_(eta) {}
  DescentState start(const Tensor& x) const override { return {.x = x, .memory = {}}; }
  Tensor probe(const DescentState& state) const override { return state.x; }
  void step(DescentState& state, const Tensor& gradient) const override;

 private:
  double eta_;
};

// The paper's look-ahead: x_{k+1} = x_k - η ∇E(x_k + μ (x_k - x_{k-1}))
class NesterovLookAhead final : public Rule {
 public:
  NesterovLookAhead(double eta, double mu) : eta_(eta), mu_(mu) {}
  DescentState start(const Tensor& x) const override { return {.x = x, .memory = {x}}; }
  Tensor probe(const DescentState& state) const override;
  void step(DescentState& state, const Tensor& gradient) const override;

 private:
  double eta_, mu_;
};

}  // namespace eqm
