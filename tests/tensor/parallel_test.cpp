#include "eqm/tensor/parallel.h"

#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

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

// What the work saw of each task. Plain numbers: the tasks themselves have to keep threads from
// touching them at the same time, or a thread sanitizer tells.
struct Journal {
  struct Entry {
    int64_t begun = 0, done = 0;
  };
  std::vector<Entry> entries;
  std::atomic<bool> out_of_order = false;

  explicit Journal(int64_t tasks) : entries(static_cast<size_t>(tasks)) {}

  void write(const SharedTasks::Turn& turn) {
    Entry& entry = entries[static_cast<size_t>(turn.task)];
    if (entry.begun != turn.pass || entry.done != turn.pass) out_of_order = true;
    ++entry.begun;
    // Uneven work, so that tasks change hands.
    if ((turn.task + turn.pass) % 3 == 0) std::this_thread::yield();
    ++entry.done;
  }
  bool all(int64_t passes) const {
    return std::all_of(entries.begin(), entries.end(),
                       [&](const Entry& entry) { return entry.done == passes; });
  }
};

TEST(SharedTasks, passes_of_a_task_follow_each_other) {
  constexpr int64_t kPasses = 50;
  for (const int64_t threads : {1, 2, 3, 9}) {
    for (const int64_t count : {1, 2, 5, 40}) {
      SharedTasks tasks(threads, count, kPasses);
      Journal journal(count);
      std::vector<std::thread> team;
      for (int64_t t = 0; t < threads; ++t) {
        team.emplace_back(
            [&, t] { tasks.join(t, [&](const SharedTasks::Turn& turn) { journal.write(turn); }); });
      }
      for (std::thread& thread : team) thread.join();
      EXPECT_FALSE(journal.out_of_order) << threads << " threads, " << count << " tasks";
      EXPECT_TRUE(journal.all(kPasses)) << threads << " threads, " << count << " tasks";
    }
  }
}

TEST(SharedTasks, one_thread_alone_does_the_work_of_all) {
  SharedTasks tasks(3, 7, 4);
  Journal journal(7);
  int begun = 0;
  tasks.join(1, [&](const SharedTasks::Turn& turn) {
    journal.write(turn);
    begun += turn.first ? 1 : 0;
  });
  EXPECT_TRUE(journal.all(4));
  EXPECT_EQ(begun, 4);
  tasks.join(0, [](const SharedTasks::Turn&) { FAIL() << "nothing is left"; });
}

TEST(SharedTasks, nobody_waits_for_a_task_that_threw) {
  SharedTasks tasks(2, 3, 2);
  EXPECT_THROW(tasks.join(0, [](const SharedTasks::Turn&) { throw std::bad_alloc(); }),
               std::bad_alloc);
  int calls = 0;
  tasks.join(1, [&](const SharedTasks::Turn&) { ++calls; });
  EXPECT_EQ(calls, 5);
}

TEST(SharedTasks, tells_what_comes_next) {
  const SharedTasks tasks(2, 6, 3);
  const SharedTasks::Turn middle = tasks.after(1, {0, 4}), last = tasks.after(1, {0, 5});
  EXPECT_EQ(std::pair(middle.pass, middle.task), (std::pair<int64_t, int64_t>(0, 5)));
  EXPECT_EQ(std::pair(last.pass, last.task), (std::pair<int64_t, int64_t>(1, 3)));
}

}  // namespace
}  // namespace eqm::test
