// Engines with runtimes of their own, side by side in one process.
#include <thread>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "eqm/descend/engine.h"
#include "eqm/descend/rules/rules.h"
#include "eqm/landscape/model.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

// The field of a model, which notes how it is evaluated.
class Watched final : public Field {
 public:
  explicit Watched(torch::ScalarType type) : field_(model_with(type)) {}

  Tensor gradient(const Tensor& x, const Condition& condition) const override {
    as_asked = as_asked && x.scalar_type() == asked.dtype && kernel::path() == *asked.kernels &&
               at::get_num_threads() == asked.threads;
    ++evaluations;
    return field_.gradient(x, condition);
  }
  int64_t null_label() const override { return field_.null_label(); }
  int64_t label_count() const override { return field_.label_count(); }

  Runtime asked;
  mutable bool as_asked = true;
  mutable int evaluations = 0;

 private:
  static Model model_with(torch::ScalarType type) {
    const auto sit = small_sit();
    sit->to(type);
    return model_of(sit, ObjectiveKind::eqm);
  }

  LearnedField field_;
};

State descend_with(const Watched& field) {
  Engine engine(field, {2, 4, 4}, field.asked);
  State end;
  Request request = {.start = State(0.5, 32),
                     .terms = {.list = {{.label = 1}}},
                     .rule = gradient_descent(0.01),
                     .stop = {.threshold = 0, .limit = 40}};
  request.done = [&](Outcome outcome) { end = std::move(outcome.x); };
  engine.submit(std::move(request));
  engine.run();
  return end;
}

double distance(const State& a, const State& b) {
  return std::abs(a - b).max();
}

TEST(Runtimes, engines_with_different_ones_live_in_one_process) {
  Watched fused(torch::kFloat32), plain(torch::kFloat32), wide(torch::kFloat64);
  fused.asked = torch::kFloat32;
  fused.asked.kernels = kernel::Path::fused;
  fused.asked.threads = 1;
  plain.asked = fused.asked;
  plain.asked.kernels = kernel::Path::plain;
  plain.asked.threads = 2;
  wide.asked = plain.asked;
  wide.asked.dtype = torch::kFloat64;
  wide.asked.threads = 3;

  const std::vector<const Watched*> all = {&fused, &plain, &wide};
  std::vector<State> alone, together(all.size());
  for (const Watched* field : all) alone.push_back(descend_with(*field));
  std::vector<std::thread> threads;
  for (size_t i = 0; i < all.size(); ++i) {
    threads.emplace_back([&, i] { together[i] = descend_with(*all[i]); });
  }
  for (std::thread& thread : threads) thread.join();

  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(all[i]->as_asked) << i;
    EXPECT_GE(all[i]->evaluations, 80) << i;
    EXPECT_EQ(distance(alone[i], together[i]), 0) << i;
    EXPECT_LT(distance(alone[i], alone[2]), 1e-4) << i;
  }
}

}  // namespace
}  // namespace eqm::test
