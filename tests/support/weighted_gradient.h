// The weighted gradients of a batch, each row with its terms, as tensors.
#pragma once

#include "eqm/descend/sampling.h"

namespace eqm::test {

inline Tensor weighted_gradient(const Field& field, const Tensor& x,
                                const std::vector<Terms>& terms, const Tensor& time = {}) {
  std::vector<Question> questions;
  for (int64_t b = 0; b < x.size(0); ++b) {
    questions.push_back({.x = state_of(x, b),
                         .time = time.defined() ? time[b].item<double>() : 0,
                         .terms = &terms[static_cast<size_t>(b)]});
  }
  const Shape shape(x.sizes().begin() + 1, x.sizes().end());
  const std::vector<Answer> answers = evaluate(field, shape, x.options(), questions);
  Tensor sum = torch::empty_like(x);
  for (size_t b = 0; b < answers.size(); ++b) {
    put_state(answers[b].gradient, sum, static_cast<int64_t>(b));
  }
  return sum;
}

// One list of terms for each label.
template <class Make>
std::vector<Terms> terms_for(const Tensor& labels, const Make& make) {
  std::vector<Terms> all;
  for (int64_t b = 0; b < labels.size(0); ++b) all.push_back(make(labels[b].item<int64_t>()));
  return all;
}

}  // namespace eqm::test
