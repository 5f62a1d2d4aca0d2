#include "eqm/data/loader.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include "eqm/data/augment.h"
#include "eqm/data/cache_source.h"
#include "eqm/data/map_source.h"
#include "eqm/data/order.h"
#include "tests/support/expect_error.h"
#include "tests/support/made_source.h"

namespace eqm {
namespace {

using test::expect_error;
using test::expect_input_error;
using test::MadeSource;
using Indices = std::vector<int64_t>;

std::vector<Batch> take(Loader& loader, int count) {
  std::vector<Batch> batches;
  for (int i = 0; i < count; ++i) batches.push_back(loader.next());
  return batches;
}

std::vector<Batch> take(const SourcePtr& source, const LoaderOptions& options, int count,
                        int64_t first = 0) {
  Loader loader(source, options, first);
  return take(loader, count);
}

void expect_same(const std::vector<Batch>& a, const std::vector<Batch>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].number, b[i].number);
    EXPECT_EQ(a[i].epoch, b[i].epoch);
    EXPECT_EQ(a[i].shape, b[i].shape);
    EXPECT_EQ(a[i].indices, b[i].indices);
    EXPECT_EQ(a[i].labels, b[i].labels);
    EXPECT_EQ(*a[i].bytes, *b[i].bytes);
  }
}

TEST(Loader, delivers_whole_examples_in_the_order_of_the_epoch) {
  const auto source = std::make_shared<MadeSource>(10);
  Loader loader(source, {.batch = 4, .seed = 9});
  for (int64_t k = 0; k < 8; ++k) {
    EXPECT_EQ(loader.position(), k);
    const Batch batch = loader.next();
    EXPECT_EQ(batch.number, k);
    EXPECT_EQ(batch.epoch, 4 * k / 10);
    EXPECT_EQ(batch.shape, (std::vector<int64_t>{4, 1, 2, 3}));
    ASSERT_EQ(batch.bytes->size(), 24u);
    for (int64_t i = 0; i < 4; ++i) {
      const int64_t position = 4 * k + i;
      const auto row = static_cast<size_t>(i);
      EXPECT_EQ(batch.indices[row], shuffled(9, position / 10, position % 10, 10));
      EXPECT_EQ(batch.labels[row], batch.indices[row] % 3);
      const auto begin = batch.bytes->begin() + i * 6;
      EXPECT_EQ(std::vector<std::byte>(begin, begin + 6), MadeSource::bytes_of(batch.indices[row]));
    }
  }
}

TEST(Loader, shows_every_example_once_an_epoch) {
  std::map<int64_t, int> seen;
  for (const Batch& batch : take(std::make_shared<MadeSource>(12), {.batch = 4}, 9)) {
    for (const int64_t index : batch.indices) ++seen[index];
  }
  EXPECT_EQ(seen.size(), 12u);
  for (const auto& [index, times] : seen) EXPECT_EQ(times, 3) << index;
}

RC_GTEST_PROP(Loader, delivers_the_same_for_any_number_of_threads, (uint64_t seed)) {
  const auto source =
      std::make_shared<MadeSource>(*rc::gen::inRange<int64_t>(1, 40), std::set<int64_t>{3, 4, 17});
  LoaderOptions options{.batch = *rc::gen::inRange<int64_t>(1, 20),
                        .seed = seed,
                        .threads = 0,
                        .flip = true,
                        .bad_examples = BadExamples::skip};
  const std::vector<Batch> expected = take(source, options, 12);
  options.threads = *rc::gen::inRange<int64_t>(1, 5);
  options.prefetch = *rc::gen::inRange<int64_t>(1, 7);
  expect_same(take(source, options, 12), expected);
}

RC_GTEST_PROP(Loader, continues_at_any_batch, ()) {
  const auto source = std::make_shared<MadeSource>(23);
  const LoaderOptions options{.batch = 5, .seed = 3, .threads = 2, .flip = true};
  const int before = *rc::gen::inRange(0, 15);
  std::vector<Batch> whole = take(source, options, 20);
  whole.erase(whole.begin(), whole.begin() + before);
  expect_same(take(source, options, 20 - before, before), whole);
}

TEST(Loader, mirrors_the_examples_its_coins_choose) {
  const auto source = std::make_shared<MadeSource>(30);
  int flipped = 0;
  for (const Batch& batch : take(source, {.batch = 30, .seed = 5, .flip = true}, 2)) {
    for (int64_t i = 0; i < 30; ++i) {
      const int64_t index = batch.indices[static_cast<size_t>(i)];
      Example expected = source->get(index);
      if (is_flipped(5, batch.epoch, index)) {
        flip_horizontally(expected);
        ++flipped;
      }
      const auto begin = batch.bytes->begin() + i * 6;
      EXPECT_EQ(std::vector<std::byte>(begin, begin + 6), expected.bytes);
    }
  }
  EXPECT_GT(flipped, 10);
  EXPECT_LT(flipped, 50);
}

TEST(Loader, never_writes_into_a_batch_that_is_held) {
  Loader loader(std::make_shared<MadeSource>(100), {.batch = 10, .threads = 3, .prefetch = 2});
  const std::vector<Batch> held = take(loader, 30);
  std::vector<std::vector<std::byte>> copies;
  for (const Batch& batch : held) copies.push_back(*batch.bytes);
  take(loader, 30);
  for (size_t i = 0; i < held.size(); ++i) EXPECT_EQ(*held[i].bytes, copies[i]);
}

TEST(Loader, uses_buffers_again_that_nobody_holds) {
  Loader loader(std::make_shared<MadeSource>(100), {.batch = 10, .threads = 1, .prefetch = 2});
  std::set<const std::byte*> buffers;
  for (int i = 0; i < 100; ++i) buffers.insert(loader.next().bytes->data());
  EXPECT_LE(buffers.size(), 5u);
}

TEST(Loader, leaves_batches_alive_behind_it) {
  Batch batch;
  {
    Loader loader(std::make_shared<MadeSource>(6), {.batch = 6});
    batch = loader.next();
  }
  EXPECT_EQ(batch.bytes->size(), 36u);
}

TEST(Loader, reports_a_damaged_example_at_its_batch_and_stays_there) {
  const int64_t damaged = shuffled(0, 0, 13, 20);
  const auto source = std::make_shared<MadeSource>(20, std::set<int64_t>{damaged});
  for (const int64_t threads : {0, 1, 3}) {
    Loader loader(source, {.batch = 5, .threads = threads});
    take(loader, 2);
    for (int i = 0; i < 2; ++i) {
      expect_input_error("made " + std::to_string(damaged), [&] { loader.next(); });
      EXPECT_EQ(loader.position(), 2);
    }
  }
}

TEST(Loader, replaces_damaged_examples_by_the_next_whole_one_when_asked) {
  std::ostringstream text;
  const auto logger =
      std::make_shared<Logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
  const auto source = std::make_shared<MadeSource>(10, std::set<int64_t>{0, 4, 5, 9});
  const std::map<int64_t, int64_t> replacement = {{0, 1}, {4, 6}, {5, 6}, {9, 1}};
  Loader loader(source, {.batch = 5, .threads = 2, .bad_examples = BadExamples::skip}, 0, logger);
  for (const Batch& batch : take(loader, 6)) {
    for (int64_t i = 0; i < 5; ++i) {
      const int64_t position = batch.number * 5 + i;
      const int64_t wanted = shuffled(0, position / 10, position % 10, 10);
      const auto found = replacement.find(wanted);
      EXPECT_EQ(batch.indices[static_cast<size_t>(i)],
                found == replacement.end() ? wanted : found->second);
    }
  }
  EXPECT_EQ(loader.skipped(), 4);
  for (const char* name : {"made 0", "made 4", "made 5", "made 9"}) {
    const std::string line = "skipped " + std::string(name) + ":";
    const size_t at = text.str().find(line);
    ASSERT_NE(at, std::string::npos) << text.str();
    EXPECT_EQ(text.str().find(line, at + 1), std::string::npos) << text.str();
  }
}

TEST(Loader, refuses_a_set_of_nothing_but_damage) {
  const auto source = std::make_shared<MadeSource>(3, std::set<int64_t>{0, 1, 2});
  for (const BadExamples policy : {BadExamples::stop, BadExamples::skip}) {
    expect_input_error("'made 0' is damaged",
                       [&] { Loader(source, {.batch = 2, .bad_examples = policy}); });
  }
}

TEST(Loader, names_the_example_of_another_size) {
  const auto source = map_source(std::make_shared<MadeSource>(9), "odd", [](Example example) {
    if (example.label == 2) example.shape = {1, 3, 2};
    return example;
  });
  expect_input_error("is U8 [1, 3, 2] where others are U8 [1, 2, 3]",
                     [&] { take(source, {.batch = 9}, 1); });
}

class RefusingSource : public MadeSource {
 public:
  using MadeSource::MadeSource;
  Example get(int64_t index) const override {
    if (index == 2) throw Error(ErrorKind::io, "cannot read 'made 2'");
    return MadeSource::get(index);
  }
};

TEST(Loader, does_not_skip_what_the_system_refuses_to_read) {
  expect_error(ErrorKind::io, "made 2", [] {
    take(std::make_shared<RefusingSource>(5),
         {.batch = 5, .threads = 2, .bad_examples = BadExamples::skip}, 1);
  });
}

class SlowSource : public MadeSource {
 public:
  using MadeSource::MadeSource;
  Example get(int64_t index) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return MadeSource::get(index);
  }
};

TEST(Loader, counts_the_wait_for_a_batch_that_is_not_ready) {
  Loader slow(std::make_shared<SlowSource>(100), {.batch = 10, .threads = 0});
  EXPECT_EQ(slow.waited_seconds(), 0);
  take(slow, 1);
  const double once = slow.waited_seconds();
  EXPECT_GT(once, 0);
  take(slow, 1);
  EXPECT_GT(slow.waited_seconds(), once);
}

TEST(Loader, waits_for_nothing_while_batches_are_ready) {
  const auto source = std::make_shared<MadeSource>(100);
  Loader ahead(source, {.batch = 10, .threads = 1, .prefetch = 4});
  // One read is for the shape; when the last of the fourth batch begins, three are ready.
  while (source->reads() < 1 + 4 * 10) std::this_thread::yield();
  take(ahead, 3);
  EXPECT_EQ(ahead.waited_seconds(), 0);
}

TEST(Loader, ends_in_the_middle_of_a_batch) {
  const auto source = std::make_shared<SlowSource>(100'000);
  { const Loader loader(source, {.batch = 10'000, .threads = 4, .prefetch = 8}); }
  EXPECT_LT(source->reads(), 10'000);
}

TEST(Loader, never_makes_more_than_it_may_ahead) {
  const auto source = std::make_shared<MadeSource>(100);
  Loader loader(source, {.batch = 10, .threads = 4, .prefetch = 3});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LE(source->reads(), 1 + 3 * 10);  // one to learn the shape
}

TEST(Loader, draws_from_a_cache_with_several_threads) {
  const auto inner = std::make_shared<MadeSource>(300);
  const LoaderOptions options{.batch = 32, .threads = 4, .prefetch = 6};
  expect_same(take(cache_source(inner, 1 << 20), options, 60), take(inner, options, 60));
}

TEST(Loader, delivers_the_part_of_every_batch_that_is_asked_for) {
  const auto source = std::make_shared<MadeSource>(23);
  const LoaderOptions whole = {.batch = 7, .seed = 4};
  const std::vector<Batch> expected = take(source, whole, 5);
  for (const int64_t parts : {1, 2, 3, 7}) {
    std::vector<Indices> indices(expected.size());
    std::vector<std::vector<std::byte>> bytes(expected.size());
    for (int64_t part = 0; part < parts; ++part) {
      LoaderOptions some = whole;
      some.part = part;
      some.parts = parts;
      const std::vector<Batch> batches = take(source, some, 5);
      for (size_t k = 0; k < batches.size(); ++k) {
        const Batch& batch = batches[k];
        EXPECT_EQ(batch.rows.first,
                  7 * static_cast<int64_t>(k) + static_cast<int64_t>(indices[k].size()));
        EXPECT_EQ(batch.rows.count, batch.shape.front());
        indices[k].insert(indices[k].end(), batch.indices.begin(), batch.indices.end());
        bytes[k].insert(bytes[k].end(), batch.bytes->begin(), batch.bytes->end());
      }
    }
    for (size_t k = 0; k < expected.size(); ++k) {
      EXPECT_EQ(indices[k], expected[k].indices) << parts;
      EXPECT_EQ(bytes[k], *expected[k].bytes) << parts;
    }
  }
}

TEST(Loader, refuses_options_out_of_range) {
  const auto source = std::make_shared<MadeSource>(4);
  const auto refused = [&](const LoaderOptions& options, int64_t first, const char* part) {
    expect_error(ErrorKind::usage, part, [&] { Loader(source, options, first); });
  };
  refused({.batch = 0}, 0, "batch = 0");
  refused({.batch = kMaxBatch + 1}, 0, "batch = ");
  refused({.threads = -1}, 0, "threads = -1");
  refused({.batch = 4, .part = 2, .parts = 2}, 0, "no part 2 of 2");
  refused({.batch = 4, .part = 0, .parts = 5}, 0, "no part 0 of 5");
  refused({.threads = 1'000'000}, 0, "threads = 1000000");
  refused({.prefetch = 0}, 0, "prefetch = 0");
  refused({}, -1, "first_batch = -1");
  refused({}, std::numeric_limits<int64_t>::max(), "first_batch = ");
}

TEST(Loader, mirrors_only_images) {
  const auto source = map_source(std::make_shared<MadeSource>(4), "flat", [](Example example) {
    example.shape = {6};
    return example;
  });
  expect_error(ErrorKind::usage, "only images can be mirrored",
               [&] { Loader(source, {.flip = true}); });
}

}  // namespace
}  // namespace eqm
