#include "bench/engine_bench.h"

#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

constexpr bench::EngineBench kWork = {
    .samples = 11, .rows = 4, .seed = 3, .eta = 0.05, .mu = 0.3, .limit = 9};

LearnedField small_field() {
  return LearnedField(model_of(small_sit(), ObjectiveKind::eqm));
}

TEST(EngineBench, all_ways_draw_the_same_samples_when_none_comes_to_rest) {
  const auto ways = bench::bench_engine(small_field(), kWork, {});
  ASSERT_EQ(ways.size(), 3U);
  for (const auto& way : ways) {
    EXPECT_EQ(way.evaluated, 11 * 9) << way.name;
    EXPECT_EQ(way.needed, 11 * 9) << way.name;
    EXPECT_TRUE(close(way.x, ways[0].x, 1e-10)) << way.name;
  }
}

TEST(EngineBench, the_engine_computes_what_the_masked_batch_needs) {
  const LearnedField field = small_field();
  // A norm that some reach on the way: the median of the ends of fixed steps.
  bench::EngineBench work = kWork;
  const auto fixed = bench::bench_engine(field, work, {}).front();
  const Tensor labels = torch::arange(11).remainder(3);
  const Tensor norms =
      field.gradient(fixed.x, {.labels = labels, .time = {}}).flatten(1).norm(2, 1);
  work.threshold = norms.median().item<double>();
  const auto ways = bench::bench_engine(field, work, {});
  ASSERT_EQ(ways.size(), 3U);
  EXPECT_EQ(ways[1].needed, ways[2].evaluated);
  EXPECT_GE(ways[1].evaluated, ways[1].needed);
  EXPECT_LT(ways[2].evaluated, ways[0].evaluated) << "nothing came to rest: a test of nothing";
  EXPECT_TRUE(close(ways[1].x, ways[2].x, 1e-10));
}

TEST(EngineBench, is_given_up_when_told_so) {
  int64_t asked = 0;
  EXPECT_TRUE(
      bench::bench_engine(small_field(), kWork, [&](double) { return ++asked < 20; }).empty());
  EXPECT_EQ(asked, 20);
}

}  // namespace
}  // namespace eqm::test
