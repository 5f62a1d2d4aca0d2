// One field, many terms: at a state x a request asks for Σ_k w_k ∇E(x, label_k). Guidance with
// scale s on label y is {null: 1-s, y: s}; composition of a and b is {a: 1, b: 1}.
#pragma once

#include "eqm/landscape/field.h"

namespace eqm {

struct Terms {
  Tensor labels;   // [K, B] int64
  Tensor weights;  // [K, B]
  // Reference-style guidance acts on the first channels only: channels from `split` on use
  // `rest_weights`. split < 0: all channels use `weights`.
  int64_t split = -1;
  Tensor rest_weights;  // [K, B]

  // Terms of some rows only; `index` is [n] int64.
  Terms rows(const Tensor& index) const;
};

enum class GuidedChannels { all, first_three };

// f_null + scale (f_label - f_null), labels [B].
Terms guidance(const Tensor& labels, int64_t null_label, double scale, GuidedChannels channels);

// The plain sum over label lists, each [B].
Terms composition(const std::vector<Tensor>& labels);

// Evaluates all terms of all rows in one batch. time [B] or undefined.
Tensor weighted_gradient(const Field& field, const Tensor& x, const Terms& terms,
                         const Tensor& time);

}  // namespace eqm
