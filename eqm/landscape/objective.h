// What is trained: pure functions from a model, a batch and its randomness to a loss per sample.
#pragma once

#include "eqm/backbone/backbone.h"
#include "eqm/landscape/magnitude.h"
#include "eqm/landscape/objective_kind.h"
#include "eqm/tensor/gradient.h"

namespace eqm {

struct Objective {
  ObjectiveKind kind = ObjectiveKind::eqm;
  Magnitude magnitude;           // ignored by the flows, which have c = 1
  double dispersive_weight = 0;  // 0.5 in the reference code

  // c(γ) as trained: the flows' is the constant 1.
  Magnitude effective_magnitude() const;
};

// One batch and all its randomness.
struct TrainingBatch {
  Tensor x;             // [B, ...] data
  Tensor noise;         // like x
  Tensor gamma;         // [B]
  Tensor labels;        // [B] or undefined, after dropout
  Tensor dropout = {};  // [B] seeds of what the network drops; undefined: nothing
};

struct Loss {
  Tensor per_sample;  // [B]: mean squared error over elements, plus the weighted dispersive loss;
                      // of a classifier the cross entropy
  Tensor prediction;  // like x: the predicted gradient; of a classifier the logits
  Tensor dispersive;  // scalar; undefined without dispersive loss
};

// The model's gradient at x in the paper's sign, by the objective's kind: the (signed) output
// itself, or the derivative of the energy built from it. A velocity is minus a gradient.
struct FieldValue {
  Tensor gradient;  // like x
  Tensor energy;    // [B]; undefined without an explicit energy
  Tensor features;  // the backbone's
};
FieldValue evaluate_field(const Backbone& backbone, ObjectiveKind kind, double output_sign,
                          const Tensor& x, const Conditioning& conditioning, Graph graph);

Loss loss(const Backbone& backbone, const Objective& objective, double output_sign,
          const TrainingBatch& batch);

// InfoNCE with squared distances over the whole batch, diagonal included:
// log mean_ij exp(-‖z_i - z_j‖² / n), z flattened to [B, n].
Tensor dispersive_loss(const Tensor& features);

// Labels with some replaced by the null class where drop_uniform < probability.
Tensor drop_labels(const Tensor& labels, const Tensor& drop_uniform, double probability,
                   int64_t null_label);

}  // namespace eqm
