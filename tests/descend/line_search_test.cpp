// Backtracking through the engine: what becomes of samples whose energies lie, end or are none.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "eqm/descend/engine.h"
#include "eqm/descend/rules/rules.h"

namespace eqm::test {
namespace {

// A field that has no value past a wall.
class Wall final : public Field {
 public:
  Tensor gradient(const Tensor& x, const Condition& condition) const override {
    return gradient_and_energy(x, condition).gradient;
  }
  bool has_energy() const override { return true; }
  GradientAndEnergy gradient_and_energy(const Tensor& x, const Condition&) const override {
    const Tensor beyond = x.select(1, 0) < 0;
    const Tensor nan = torch::full_like(x, std::nan(""));
    return {.gradient = torch::where(beyond.unsqueeze(1), nan, 2 * x),
            .energy = torch::where(beyond, nan.select(1, 0), x.square().sum(1))};
  }
};

TEST(LineSearch, draws_back_from_where_there_is_no_value) {
  const Wall field;
  Engine engine(field, {2}, torch::kFloat64);
  std::map<std::string, SampleRecord> records;
  const auto submit = [&](const std::string& name, const Rule& rule) {
    Request request = {
        .start = {1.0, 0.5}, .terms = {}, .rule = rule, .stop = {.threshold = 0.01, .limit = 99}};
    request.done = [&records, name](const Outcome& outcome) { records[name] = outcome.record; };
    engine.submit(std::move(request));
  };
  submit("line search", backtracking(0.9));  // its first try lies past the wall
  submit("plain", gradient_descent(0.9));
  engine.run();
  EXPECT_EQ(records["line search"].status, DescentStatus::converged);
  EXPECT_EQ(records["plain"].status, DescentStatus::diverged);
}

// A field whose gradient lies: the energy rises whichever way one goes.
class Liar final : public Field {
 public:
  Tensor gradient(const Tensor& x, const Condition& condition) const override {
    return gradient_and_energy(x, condition).gradient;
  }
  bool has_energy() const override { return true; }
  GradientAndEnergy gradient_and_energy(const Tensor& x, const Condition&) const override {
    return {.gradient = torch::full_like(x, 3), .energy = (x - 1).abs().sum(1)};
  }
};

// A field without energies worth the name.
class Void final : public Field {
 public:
  Tensor gradient(const Tensor& x, const Condition&) const override { return x; }
  bool has_energy() const override { return true; }
  GradientAndEnergy gradient_and_energy(const Tensor& x, const Condition&) const override {
    return {.gradient = x, .energy = torch::full({x.size(0)}, std::nan(""), x.options())};
  }
};

TEST(LineSearch, without_energies_has_not_converged) {
  const Void field;
  Engine engine(field, {2}, torch::kFloat64);
  SampleRecord record;
  Request request = {
      .start = {1.0, 1.0}, .terms = {}, .rule = backtracking(1.0), .stop = {.limit = 99}};
  request.done = [&](const Outcome& outcome) { record = outcome.record; };
  engine.submit(std::move(request));
  engine.run();
  EXPECT_EQ(record.status, DescentStatus::diverged);
}

TEST(LineSearch, that_finds_nothing_better_takes_no_step) {
  const Liar field;
  Engine engine(field, {2}, torch::kFloat64);
  Outcome end;
  Request request = {
      .start = {1.0, 1.0}, .terms = {}, .rule = backtracking(1.0), .stop = {.limit = 99}};
  request.done = [&](Outcome outcome) { end = std::move(outcome); };
  engine.submit(std::move(request));
  engine.run();
  EXPECT_EQ(end.record.status, DescentStatus::converged);
  EXPECT_EQ(end.record.steps, 0);
  EXPECT_EQ(end.record.energy, 0) << "of where it is, not of what it tried";
  EXPECT_EQ(norm(end.x - State{1.0, 1.0}), 0);
}

}  // namespace
}  // namespace eqm::test
