#include "eqm/backbone/condition_table.h"

#include <thread>

#include <gtest/gtest.h>

#include "eqm/backbone/mlp.h"
#include "tests/support/golden.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

// Counts the rows whose conditioning is computed.
class Counting final : public Backbone {
 public:
  Conditioning conditioning(const Condition& condition, int64_t batch) const override {
    computed += batch;
    return inner->conditioning(condition, batch);
  }
  Prediction forward_with(const Tensor& x, const Conditioning& rows) const override {
    return inner->forward_with(x, rows);
  }
  Shape state_shape() const override { return inner->state_shape(); }
  int64_t num_classes() const override { return inner->num_classes(); }
  int64_t null_label() const override { return inner->null_label(); }
  double activation_floats_per_row() const override { return inner->activation_floats_per_row(); }
  std::string architecture() const override { return inner->architecture(); }
  void initialise(uint64_t seed) override { inner->initialise(seed); }

  std::shared_ptr<Sit> inner = small_sit();
  mutable int64_t computed = 0;
};

TEST(ConditionTable, computes_each_label_once) {
  const auto backbone = std::make_shared<Counting>();
  ConditionTable table(backbone);
  table.rows(torch::tensor({2, 0, 2, 2}, torch::kInt64), 4);
  EXPECT_EQ(backbone->computed, 2);
  table.rows(torch::tensor({0, 2}, torch::kInt64), 2);
  EXPECT_EQ(backbone->computed, 2);
  table.rows(Tensor(), 5);  // the null class, once
  EXPECT_EQ(backbone->computed, 3);
  EXPECT_EQ(table.computed(), 3);
}

TEST(ConditionTable, gives_what_the_network_would_compute) {
  const auto sit = small_sit();
  ConditionTable table(sit);
  const Tensor x = normal(1, 4, {2, 4, 4});
  for (const Tensor& labels :
       {torch::tensor({1, 1, 0, 2}, torch::kInt64), torch::tensor({3, 2, 2, 0}, torch::kInt64)}) {
    EXPECT_TRUE(close(sit->forward_with(x, table.rows(labels, 4)).output,
                      sit->forward(x, {.labels = labels, .time = {}}).output, 1e-13));
  }
}

TEST(ConditionTable, passes_over_what_a_network_has_not) {
  const auto mlp = initialised<Mlp>(MlpConfig{.dimension = 2, .width = 8, .depth = 1});
  ConditionTable table(mlp);
  const Tensor x = torch::ones({3, 2});
  EXPECT_TRUE(torch::equal(mlp->forward_with(x, table.rows(Tensor(), 3)).output,
                           mlp->forward(x, {}).output));
}

TEST(ConditionTable, serves_several_threads) {
  const auto backbone = std::make_shared<Counting>();
  ConditionTable table(backbone);
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&table, t] {
      for (int64_t k = 0; k < 20; ++k) {
        table.rows(torch::full({2}, (t + k) % 4, torch::kInt64), 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(backbone->computed, 4);
}

}  // namespace
}  // namespace eqm::test
