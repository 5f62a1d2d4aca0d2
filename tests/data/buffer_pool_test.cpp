#include "eqm/data/buffer_pool.h"

#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace eqm {
namespace {

TEST(BufferPool, gives_buffers_of_its_size_to_one_holder_each) {
  const auto pool = BufferPool::create(10, 4);
  const auto first = pool->take();
  const auto second = pool->take();
  EXPECT_EQ(first->size(), 10u);
  EXPECT_NE(first->data(), second->data());
}

TEST(BufferPool, gives_a_buffer_again_when_its_last_holder_lets_go) {
  const auto pool = BufferPool::create(10, 4);
  auto first = pool->take();
  const std::byte* data = first->data();
  auto copy = first;
  first.reset();
  EXPECT_NE(pool->take()->data(), data);
  copy.reset();
  const auto one = pool->take();
  const auto two = pool->take();
  EXPECT_TRUE(one->data() == data || two->data() == data);
}

TEST(BufferPool, takes_back_nothing_that_was_resized) {
  const auto pool = BufferPool::create(10, 4);
  pool->take()->resize(3);
  EXPECT_EQ(pool->take()->size(), 10u);
}

TEST(BufferPool, may_be_forgotten_before_its_buffers) {
  auto pool = BufferPool::create(10, 4);
  const auto buffer = pool->take();
  pool.reset();
  EXPECT_EQ(buffer->size(), 10u);
}

TEST(BufferPool, serves_many_threads_at_once) {
  const auto pool = BufferPool::create(64, 2);
  std::vector<std::jthread> threads;
  for (int id = 1; id <= 4; ++id) {
    threads.emplace_back([&pool, id] {
      for (int i = 0; i < 500; ++i) {
        const auto buffer = pool->take();
        std::fill(buffer->begin(), buffer->end(), static_cast<std::byte>(id));
        for (const std::byte byte : *buffer) ASSERT_EQ(byte, static_cast<std::byte>(id));
      }
    });
  }
}

}  // namespace
}  // namespace eqm
