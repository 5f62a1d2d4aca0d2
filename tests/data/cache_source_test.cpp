#include "eqm/data/cache_source.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/data/map_source.h"
#include "tests/support/expect_error.h"
#include "tests/support/made_source.h"

namespace eqm {
namespace {

using test::MadeSource;

constexpr uint64_t kEnough = 1'000'000;
constexpr int64_t kProbes = 1;  // the cache reads one example to learn the shape

TEST(CacheSource, reads_every_example_once) {
  const auto inner = std::make_shared<MadeSource>(50);
  const SourcePtr cached = cache_source(inner, kEnough);
  for (int round = 0; round < 3; ++round) {
    for (int64_t i = 0; i < 50; ++i) {
      const Example example = cached->get(i);
      EXPECT_EQ(example.bytes, MadeSource::bytes_of(i));
      EXPECT_EQ(example.shape, (std::vector<int64_t>{1, 2, 3}));
      EXPECT_EQ(example.label, i % 3);
    }
  }
  EXPECT_EQ(inner->reads(), 50 + kProbes);
  EXPECT_EQ(cached->fingerprint(), inner->fingerprint());
  EXPECT_EQ(cached->name_of(7), "made 7");
}

TEST(CacheSource, is_left_out_when_the_examples_do_not_fit) {
  const SourcePtr inner = std::make_shared<MadeSource>(50);
  EXPECT_EQ(cache_source(inner, 50 * 6), inner);  // labels and states need room, too
  EXPECT_EQ(cache_source(inner, 50 * 15 - 1), inner);
  EXPECT_NE(cache_source(inner, 50 * 15), inner);
}

TEST(CacheSource, tries_damaged_examples_each_time) {
  const auto inner = std::make_shared<MadeSource>(5, std::set<int64_t>{2});
  const SourcePtr cached = cache_source(inner, kEnough);
  for (int i = 0; i < 2; ++i) {
    test::expect_input_error("'made 2' is damaged", [&] { cached->get(2); });
  }
  EXPECT_EQ(inner->reads(), 2 + kProbes);
}

TEST(CacheSource, passes_examples_of_another_shape_through) {
  const SourcePtr inner = map_source(std::make_shared<MadeSource>(5), "odd", [](Example example) {
    if (example.label == 1) example.shape = {1, 3, 2};
    return example;
  });
  const SourcePtr cached = cache_source(inner, kEnough);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(cached->get(0).shape, (std::vector<int64_t>{1, 2, 3}));
    EXPECT_EQ(cached->get(1).shape, (std::vector<int64_t>{1, 3, 2}));
  }
}

TEST(CacheSource, serves_many_threads_at_once) {
  const auto inner = std::make_shared<MadeSource>(200);
  const SourcePtr cached = cache_source(inner, kEnough);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int64_t offset = 0; offset < 4; ++offset) {
      threads.emplace_back([&, offset] {
        for (int64_t i = 0; i < 2000; ++i) {
          const int64_t index = (i + offset) % 200;
          if (cached->get(index).bytes != MadeSource::bytes_of(index)) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(inner->reads(), 4 * 200 + kProbes);
}

TEST(CacheSource, refuses_numbers_outside_the_set) {
  const SourcePtr cached = cache_source(std::make_shared<MadeSource>(5), kEnough);
  test::expect_error(ErrorKind::usage, "no example 5 among 5", [&] { cached->get(5); });
  test::expect_error(ErrorKind::usage, "no example -1", [&] { cached->get(-1); });
}

}  // namespace
}  // namespace eqm
