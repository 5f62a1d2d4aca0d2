#include "eqm/descend/shown_gamma.h"

#include <algorithm>

namespace eqm {
namespace {

State with_last(const State& x, double last) {
  State longer(x.size() + 1);
  longer[std::slice(0, x.size(), 1)] = x;
  longer[x.size()] = last;
  return longer;
}

State without_last(const State& x) {
  return x[std::slice(0, x.size() - 1, 1)];
}

class GammaCourse final : public Course {
 public:
  GammaCourse(std::unique_ptr<Course> pair, const Magnitude& magnitude)
      : Course(without_last(pair->x())), pair_(std::move(pair)), magnitude_(magnitude) {}

  State probe() const override { return without_last(pair_->probe()); }
  double time() const override {
    const State at = pair_->probe();
    return std::clamp(at[at.size() - 1], 0.0, 1.0);
  }
  bool knows_slope() const override { return pair_->knows_slope(); }
  bool may_reject() const override { return pair_->may_reject(); }
  double way() const override { return pair_->way(); }

  Move take(const Answer& answer) override {
    Answer of_pair = answer;
    of_pair.gradient = with_last(answer.gradient, -answer.weight * magnitude_(time()));
    const Move move = pair_->take(of_pair);
    x_ = without_last(pair_->x());
    return move;
  }

 private:
  std::unique_ptr<Course> pair_;  // over (x, γ)
  Magnitude magnitude_;
};

NoiseSource without_kicks_on_last(const NoiseSource& noise) {
  if (!noise) return {};
  return [noise](int64_t draw, State& out) {
    State kick = without_last(out);
    noise(draw, kick);
    out = with_last(kick, 0);
  };
}

}  // namespace

Rule with_gamma(Rule rule, const Magnitude& magnitude) {
  Rule shown = rule;
  shown.field_changes = true;
  shown.start = [start = std::move(rule.start), magnitude](const State& from,
                                                           const NoiseSource& noise) {
    return std::make_unique<GammaCourse>(start(with_last(from, 0), without_kicks_on_last(noise)),
                                         magnitude);
  };
  return shown;
}

}  // namespace eqm
