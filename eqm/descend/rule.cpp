#include "eqm/descend/rule.h"

namespace eqm {

DescentState DescentState::rows(const Tensor& index) const {
  DescentState some = {.x = x.index_select(0, index), .memory = {}};
  for (const Tensor& item : memory) some.memory.push_back(item.index_select(0, index));
  return some;
}

void GradientDescent::step(DescentState& state, const Tensor& gradient) const {
  state.x = state.x - eta_ * gradient;
}

Tensor NesterovLookAhead::probe(const DescentState& state) const {
  return state.x + mu_ * (state.x - state.memory[0]);
}

void NesterovLookAhead::step(DescentState& state, const Tensor& gradient) const {
  state.memory[0] = state.x;
  state.x = state.x - eta_ * gradient;
}

}  // namespace eqm
