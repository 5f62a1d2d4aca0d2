#include "eqm/base/memory.h"

#include <fstream>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::expect_error;
using test::TemporaryFolder;

constexpr uint64_t kGigabyte = uint64_t{1} << 30;

// A machine made of files: 8 GB available, in no group.
class Memory : public ::testing::Test {
 protected:
  Memory() { write("proc/meminfo", "MemTotal: 16777216 kB\nMemAvailable:    8388608 kB\n"); }

  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = machine_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  uint64_t available() const { return available_memory(machine_.path()); }

  TemporaryFolder machine_;
};

TEST_F(Memory, is_what_the_kernel_calls_available) {
  EXPECT_EQ(available(), 8 * kGigabyte);
}

TEST_F(Memory, ends_at_the_limit_of_the_group) {
  write("proc/self/cgroup", "0::/user.slice/job\n");
  write("sys/fs/cgroup/user.slice/job/memory.max", std::to_string(4 * kGigabyte));
  write("sys/fs/cgroup/user.slice/job/memory.current", std::to_string(1 * kGigabyte));
  EXPECT_EQ(available(), 3 * kGigabyte);
}

TEST_F(Memory, ends_at_the_tightest_of_all_groups_around) {
  write("proc/self/cgroup", "0::/user.slice/job\n");
  write("sys/fs/cgroup/user.slice/job/memory.max", "max\n");
  write("sys/fs/cgroup/user.slice/memory.max", std::to_string(2 * kGigabyte));
  write("sys/fs/cgroup/memory.max", std::to_string(6 * kGigabyte));
  EXPECT_EQ(available(), 2 * kGigabyte);
}

TEST_F(Memory, counts_cached_files_as_free) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", std::to_string(4 * kGigabyte));
  write("sys/fs/cgroup/memory.current", std::to_string(3 * kGigabyte));
  write("sys/fs/cgroup/memory.stat", "anon 5\nactive_file 1073741824\ninactive_file 1073741824\n");
  EXPECT_EQ(available(), 3 * kGigabyte);
}

TEST_F(Memory, knows_the_first_version_of_groups_and_containers_that_hide_their_path) {
  write("proc/self/cgroup", "9:name=systemd:/\n4:memory:/docker/12ab\n1:cpu:/\n0::/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(4 * kGigabyte));
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(3 * kGigabyte));
  write("sys/fs/cgroup/memory/memory.stat", "active_file 7\ntotal_inactive_file 1073741824\n");
  EXPECT_EQ(available(), 2 * kGigabyte);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
  EXPECT_EQ(available(), 8 * kGigabyte);
}

TEST_F(Memory, is_none_when_the_group_is_full) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", std::to_string(1 * kGigabyte));
  write("sys/fs/cgroup/memory.current", std::to_string(2 * kGigabyte));
  EXPECT_EQ(available(), 0u);
}

TEST_F(Memory, is_unlimited_where_the_system_does_not_tell) {
  write("proc/meminfo", "nonsense\n");
  write("proc/self/cgroup", "0:\n::\n\n4:memory\n");
  EXPECT_EQ(available(), std::numeric_limits<uint64_t>::max());
}

TEST(RequireMemory, refuses_what_no_machine_has) {
  EXPECT_GT(available_memory(), 0u);
  require_memory(1, "");
  expect_error(ErrorKind::usage, "this needs about 1000000000 GB of memory, and",
               [] { require_memory(1e18, "lower the batch"); });
}

}  // namespace
}  // namespace eqm
