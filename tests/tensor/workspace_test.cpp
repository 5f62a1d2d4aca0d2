#include "eqm/tensor/workspace.h"

#include <thread>

#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

#include "eqm/tensor/torch.h"

namespace eqm::test {
namespace {

// Some work with tensors of several sizes.
double work(int64_t rows) {
  const Tensor x = torch::ones({rows, 64}), y = torch::mm(x, torch::ones({64, 32}));
  return (y + 1).sum().item<double>();
}

TEST(Workspace, gives_repeated_work_the_memory_of_its_first_round) {
  const Workspace workspace;
  const WorkspaceScope scope(workspace);
  EXPECT_EQ(work(50), 50 * 32 * 65.0);
  const Workspace::Counts first = workspace.counts();
  EXPECT_GT(first.fresh, 0);
  for (int round = 0; round < 10; ++round) EXPECT_EQ(work(50), 50 * 32 * 65.0);
  const Workspace::Counts all = workspace.counts();
  EXPECT_EQ(all.fresh, first.fresh);
  EXPECT_EQ(all.bytes, first.bytes);
  EXPECT_EQ(all.taken, 11 * first.taken);
}

TEST(Workspace, tensors_do_not_share_memory_while_they_live) {
  const Workspace workspace;
  const WorkspaceScope scope(workspace);
  std::vector<Tensor> tensors;
  for (int i = 0; i < 100; ++i) tensors.push_back(torch::full({i % 7 + 1, 33}, i));
  for (int i = 0; i < 100; i += 2) tensors[static_cast<size_t>(i)] = torch::full({5, 33}, -i);
  for (int i = 0; i < 100; ++i) {
    const int expected = i % 2 == 0 ? -i : i;
    EXPECT_TRUE((tensors[static_cast<size_t>(i)] == expected).all().item<bool>()) << i;
  }
}

TEST(Workspace, serves_only_the_thread_with_an_open_scope) {
  const Workspace workspace;
  work(8);
  EXPECT_EQ(workspace.counts().taken, 0) << "no scope yet";
  const WorkspaceScope scope(workspace);
  std::thread([] { work(8); }).join();
  EXPECT_EQ(workspace.counts().taken, 0) << "another thread";
  {
    const Workspace inner;
    const WorkspaceScope nested(inner);
    work(8);
    EXPECT_GT(inner.counts().taken, 0);
  }
  EXPECT_EQ(workspace.counts().taken, 0) << "another workspace";
  work(8);
  EXPECT_GT(workspace.counts().taken, 0);
}

TEST(Workspace, a_tensor_outlives_it_and_is_freed_by_any_thread) {
  Tensor kept;
  {
    const Workspace workspace;
    const WorkspaceScope scope(workspace);
    kept = torch::arange(1000);
  }
  EXPECT_EQ(kept.sum().item<int64_t>(), 499500);
  std::thread([&] { kept.reset(); }).join();
}

TEST(Workspace, what_large_batches_leave_serves_smaller_ones) {
  const Workspace workspace;
  const WorkspaceScope scope(workspace);
  work(64);
  const size_t first = workspace.counts().bytes;
  for (int64_t rows = 63; rows > 0; --rows) work(rows);
  EXPECT_LT(workspace.counts().bytes, 2 * first);
}

TEST(Workspace, memory_without_a_tensor_may_cross_scopes) {
  void* const before = c10::GetCPUAllocator()->raw_allocate(100);
  const Workspace workspace;
  c10::Allocator& ours = *c10::GetCPUAllocator();
  void* inside = nullptr;
  {
    const WorkspaceScope scope(workspace);
    inside = ours.raw_allocate(100);
    ours.raw_deallocate(before);
  }
  ours.raw_deallocate(inside);
}

TEST(Workspace, serves_several_threads_at_once) {
  const Workspace workspace;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const WorkspaceScope scope(workspace);
      for (int round = 0; round < 20; ++round) EXPECT_EQ(work(30), 30 * 32 * 65.0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(workspace.counts().taken, workspace.counts().fresh);
}

TEST(Workspace, empty_tensors_and_growing_ones_are_fine) {
  const Workspace workspace;
  const WorkspaceScope scope(workspace);
  Tensor t = torch::empty({0});
  for (int64_t size = 1; size < 100000; size *= 3) t.resize_({size}).fill_(1);
  EXPECT_EQ(t.sum().item<double>(), 59049.0);
}

}  // namespace
}  // namespace eqm::test
