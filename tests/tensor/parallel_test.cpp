#include "eqm/tensor/parallel.h"

#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>

namespace eqm::test {
namespace {

std::vector<int> times_called(int64_t count) {
  std::vector<std::atomic<int>> calls(static_cast<size_t>(count));
  parallel_tasks(count, [&](int64_t task) { ++calls[static_cast<size_t>(task)]; });
  return {calls.begin(), calls.end()};
}

TEST(ParallelTasks, every_task_is_done_once) {
  for (const int64_t count : {0, 1, 2, 3, 7, 1000}) {
    EXPECT_EQ(times_called(count), std::vector<int>(static_cast<size_t>(count), 1)) << count;
  }
}

TEST(ParallelTasks, every_task_is_done_once_by_more_threads_than_processors) {
  const int before = at::get_num_threads();
  at::set_num_threads(9);
  for (const int64_t count : {1, 8, 9, 10, 100}) {
    EXPECT_EQ(times_called(count), std::vector<int>(static_cast<size_t>(count), 1)) << count;
  }
  at::set_num_threads(before);
}

TEST(ParallelTasks, a_task_may_have_tasks) {
  std::atomic<int> calls = 0;
  parallel_tasks(5, [&](int64_t) { parallel_tasks(3, [&](int64_t) { ++calls; }); });
  EXPECT_EQ(calls, 15);
}

TEST(ParallelTasks, what_a_task_throws_reaches_the_caller) {
  EXPECT_THROW(parallel_tasks(4,
                              [](int64_t task) {
                                if (task == 2) throw std::runtime_error("two");
                              }),
               std::runtime_error);
}

}  // namespace
}  // namespace eqm::test
