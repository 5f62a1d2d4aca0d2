// What every network offers: a state and its condition in, a prediction of the same shape out.
// Parameters live in the torch module tree, whose names are those of the weights file. They are not
// initialised when a network is built: whoever needs them calls initialise() or loads them. Const
// calls may come from several threads at once, while nobody changes the parameters.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "eqm/tensor/torch.h"

namespace eqm {

// What a row of a batch is conditioned on.
struct Condition {
  Tensor labels;  // [B] int64; undefined: the null class
  Tensor time;    // [B]; undefined: 0, which is what every time-invariant model sees
  // [B] int64: each row's seed of what dropout hides; undefined, as always but in training: nothing
  Tensor dropout = {};

  // The condition of some rows only; `index` is [n] int64.
  Condition rows(const Tensor& index) const;
};

// What a condition adds to a forward pass: tensors of one row per sample that depend on nothing but
// the condition. Some may be undefined.
using Conditioning = std::vector<Tensor>;

struct Prediction {
  // Like x: the network's raw output, whose sign the Model knows. Of a classifier: its logits.
  Tensor output;
  Tensor features;  // [B, ...]: activations of the last block
};

class Backbone : public torch::nn::Module {
 public:
  // The two halves of a forward pass. The first is a constant of the label where time is fixed.
  virtual Conditioning conditioning(const Condition& condition, int64_t batch) const = 0;
  virtual Prediction forward_with(const Tensor& x, const Conditioning& conditioning) const = 0;
  Prediction forward(const Tensor& x, const Condition& condition) const {
    return forward_with(x, conditioning(condition, x.size(0)));
  }

  virtual Shape state_shape() const = 0;
  virtual int64_t num_classes() const = 0;
  // The label of "no label"; -1 when the network was built without one.
  virtual int64_t null_label() const = 0;
  // About how many numbers a row of a batch keeps alive at the widest place of a forward pass.
  virtual double activation_floats_per_row() const = 0;

  // The architecture as JSON with a "kind"; make_backbone() reads it back.
  virtual std::string architecture() const = 0;

  // Fresh parameters, a pure function of the seed.
  virtual void initialise(uint64_t seed) = 0;

  // The labels to use for a batch: those given, checked against the table, or the null class.
  Tensor effective_labels(const Tensor& labels, int64_t batch, torch::Device device) const;
};

// Builds a network, its parameters not initialised, from its architecture's JSON. One with more
// than `most_weights` numbers is an input error before any memory is asked for: a damaged file may
// describe terabytes.
std::shared_ptr<Backbone> make_backbone(
    const std::string& architecture, double most_weights = std::numeric_limits<double>::infinity());

int64_t parameter_count(const Backbone& backbone);

// Device and precision of the parameters.
torch::TensorOptions options_of(const Backbone& backbone);

}  // namespace eqm
