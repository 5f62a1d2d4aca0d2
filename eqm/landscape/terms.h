// One field, many terms: at a state x a sample asks for Σ_k w_k ∇E(x, label_k). Guidance with scale
// s on label y is {null: 1-s, y: s}; composition of a and b is {a: 1, b: 1}.
#pragma once

#include <cstdint>
#include <vector>

namespace eqm {

inline constexpr int64_t kNullClass = -1;  // the null class, or a field without classes

struct Term {
  int64_t label = kNullClass;
  double weight = 1;
  double rest_weight = 1;  // on the channels that guidance leaves alone
};

struct Terms {
  std::vector<Term> list = {Term{}};
  // Reference-style guidance acts on the first channels only: those from here on use the rest
  // weights. Below 0 all channels use the weights.
  int64_t guided_channels = -1;
};

// The sum of the weights: how many times the landscape of one label there is to descend.
double total_weight(const Terms& terms);

enum class GuidedChannels { all, first_three };

// The plain gradient under a label.
Terms only(int64_t label);

// f_null + scale (f_label - f_null).
Terms guidance(int64_t label, double scale, GuidedChannels channels = GuidedChannels::all);

// The plain sum over labels.
Terms composition(const std::vector<int64_t>& labels);

}  // namespace eqm
