#include "eqm/base/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

// The files of a control group that matter, by the version of the interface.
struct GroupFiles {
  const char* limit;
  const char* usage;
  const char* cache[2];  // in memory.stat: file pages, which the kernel gives back when asked
};

constexpr GroupFiles kVersion1 = {
    "memory.limit_in_bytes", "memory.usage_in_bytes", {"total_active_file", "total_inactive_file"}};
constexpr GroupFiles kVersion2 = {"memory.max", "memory.current", {"active_file", "inactive_file"}};

// The only number in a file; nothing when there is no such file or it says "max".
std::optional<uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

// The number behind a key at the start of a line, as in "MemAvailable: 123 kB".
std::optional<uint64_t> number_after(const fs::path& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    uint64_t number = 0;
    if (words >> name >> number && name == key) return number;
  }
  return std::nullopt;
}

uint64_t left_in_group(const fs::path& folder, const GroupFiles& files) {
  const std::optional<uint64_t> limit = number_in(folder / files.limit);
  if (!limit) return kUnlimited;
  uint64_t used = number_in(folder / files.usage).value_or(0);
  for (const char* key : files.cache) {
    used -= std::min(used, number_after(folder / "memory.stat", key).value_or(0));
  }
  return *limit - std::min(*limit, used);
}

// Every group up to the mount may set a limit. In a container the group's own path may not be
// visible; its limit is then that of the mount itself.
uint64_t left_in_groups(const fs::path& mount, fs::path group, const GroupFiles& files) {
  uint64_t least = left_in_group(mount, files);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    least = std::min(least, left_in_group(mount / group, files));
  }
  return least;
}

std::string in_gigabytes(double bytes) {
  const double gigabytes = bytes * 1e-9;
  return fmt::format("{:.{}f} GB", gigabytes, gigabytes < 10 ? 1 : 0);
}

}  // namespace

uint64_t available_memory(const fs::path& root) {
  const std::optional<uint64_t> kilobytes = number_after(root / "proc/meminfo", "MemAvailable:");
  uint64_t least = kilobytes ? *kilobytes * 1024 : kUnlimited;
  // Lines such as "0::/user.slice" (version 2) and "4:memory:/docker/12ab" (version 1).
  std::ifstream groups(root / "proc/self/cgroup");
  std::string number, controllers, group;
  while (std::getline(groups, number, ':') && std::getline(groups, controllers, ':') &&
         std::getline(groups, group)) {
    if (controllers.empty()) {
      least = std::min(least, left_in_groups(root / "sys/fs/cgroup", group, kVersion2));
    } else if (controllers == "memory") {
      least = std::min(least, left_in_groups(root / "sys/fs/cgroup/memory", group, kVersion1));
    }
  }
  return least;
}

void require_memory(double bytes, const std::string& remedy) {
  const auto available = static_cast<double>(available_memory());
  if (bytes <= available) return;
  throw Error(ErrorKind::usage,
              fmt::format("this needs about {} of memory, and {} are available",
                          in_gigabytes(bytes), in_gigabytes(available)),
              remedy);
}

}  // namespace eqm
