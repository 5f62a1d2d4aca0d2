// A field is immutable: threads that evaluate it at once get what each would get alone.
#include <thread>

#include <gtest/gtest.h>

#include "eqm/landscape/model.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

TEST(FieldThreads, evaluate_one_field_at_once) {
  for (const ObjectiveKind kind : {ObjectiveKind::eqm, ObjectiveKind::eqm_dot, ObjectiveKind::fm}) {
    const auto sit = small_sit();
    sit->to(torch::kFloat32);
    const LearnedField fresh(model_of(sit, kind));
    constexpr int kThreads = 2, kRounds = 10;
    const auto batch = [](int thread, int round) {
      return normal(static_cast<uint64_t>(1 + thread), 3 + round % 4, {2, 4, 4})
          .to(torch::kFloat32);
    };
    const auto condition = [](const Tensor& x, int thread) {
      return Condition{.labels = torch::full({x.size(0)}, thread, torch::kInt64),
                       .time = torch::full({x.size(0)}, 0.25)};
    };
    std::vector<std::vector<Tensor>> found(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int r = 0; r < kRounds; ++r) {
          const Tensor x = batch(t, r);
          found[static_cast<size_t>(t)].push_back(fresh.gradient(x, condition(x, t)));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (int t = 0; t < kThreads; ++t) {
      for (int r = 0; r < kRounds; ++r) {
        const Tensor x = batch(t, r);
        EXPECT_TRUE(torch::equal(found[static_cast<size_t>(t)][static_cast<size_t>(r)],
                                 fresh.gradient(x, condition(x, t))));
      }
    }
  }
}

}  // namespace
}  // namespace eqm::test
