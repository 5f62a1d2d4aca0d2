// Work for several threads: LibTorch's parallel_for, which is a template and quietly runs on one
// thread where it is compiled without OpenMP, and tasks that threads take from each other.
#pragma once

#ifndef _OPENMP
#error "compile with OpenMP, as the target eqm does"
#endif

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include <ATen/Parallel.h>

namespace eqm {

// Tasks that several threads do together, in one pass or more: a task of a pass begins when the
// same task of the pass before is done. Each thread begins with its own share, the same in every
// pass, so that it finds in its caches what it left there; one that is done early helps the others.
class SharedTasks {
 public:
  struct Turn {
    int64_t pass, task;
    bool first = false;  // of the thread in this pass
  };

  SharedTasks(int64_t threads, int64_t tasks, int64_t passes = 1)
      : threads_(threads),
        tasks_(tasks),
        passes_(passes),
        next_(static_cast<size_t>(passes * threads)),
        done_(passes > 1 ? static_cast<size_t>(tasks) : 0) {
    for (int64_t pass = 0; pass < passes; ++pass) {
      for (int64_t t = 0; t < threads; ++t) next(pass, t) = begin_of(t);
    }
  }

  // Calls work(turn) as one of the threads until nothing is left.
  template <class Work>
  void join(int64_t thread, const Work& work) {
    for (int64_t pass = 0; pass < passes_; ++pass) {
      bool first = true;
      for (int64_t i = 0; i < threads_; ++i) {
        const int64_t owner = (thread + i) % threads_;
        while (const std::optional<int64_t> task = take(pass, owner)) {
          wait_for(*task, pass);
          const Finally mark{*this, *task, pass};
          work(Turn{pass, *task, first});
          first = false;
        }
      }
    }
  }

  // What the thread will most likely do after a turn. It may be beyond the last pass.
  Turn after(int64_t thread, const Turn& turn) const {
    const bool more = turn.task + 1 < begin_of(thread + 1);
    return more ? Turn{turn.pass, turn.task + 1} : Turn{turn.pass + 1, begin_of(thread)};
  }

 private:
  struct alignas(64) Next {
    std::atomic<int64_t> task = 0;
  };
  // A task that throws is done, too: others may wait for it.
  struct Finally {
    SharedTasks& tasks;
    int64_t task, pass;
    ~Finally() {
      if (tasks.passes_ > 1) tasks.done(task).store(pass + 1, std::memory_order_release);
    }
  };

  int64_t begin_of(int64_t thread) const { return tasks_ * thread / threads_; }
  std::atomic<int64_t>& next(int64_t pass, int64_t thread) {
    return next_[static_cast<size_t>(pass * threads_ + thread)].task;
  }
  std::atomic<int64_t>& done(int64_t task) { return done_[static_cast<size_t>(task)]; }

  // The next task of the share of `owner`, if one is left.
  std::optional<int64_t> take(int64_t pass, int64_t owner) {
    const int64_t end = begin_of(owner + 1);
    std::atomic<int64_t>& at = next(pass, owner);
    if (at.load(std::memory_order_relaxed) >= end) return {};
    const int64_t task = at++;
    return task < end ? std::optional(task) : std::nullopt;
  }

  void wait_for(int64_t task, int64_t pass) {
    if (pass == 0) return;
    while (done(task).load(std::memory_order_acquire) < pass) std::this_thread::yield();
  }

  int64_t threads_, tasks_, passes_;
  std::vector<Next> next_;                  // of each share in each pass
  std::vector<std::atomic<int64_t>> done_;  // passes of each task, where there is more than one
};

// Calls work(task) for every task below `count`.
template <class Work>
void parallel_tasks(int64_t count, const Work& work) {
  if (count == 0) return;
  const int64_t threads = std::min<int64_t>(at::get_num_threads(), count);
  SharedTasks tasks(threads, count);
  at::parallel_for(0, threads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      tasks.join(t, [&](const SharedTasks::Turn& turn) { work(turn.task); });
    }
  });
}

}  // namespace eqm
