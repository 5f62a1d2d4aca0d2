#include "eqm/base/processor_use.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace eqm {

std::optional<ProcessorUse> processor_use() {
  constexpr double kNanosecond = 1e-9;
  ProcessorUse use;
  use.at =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  bool any = false;
  std::error_code code;
  for (std::filesystem::directory_iterator thread("/proc/self/task", code), end;
       !code && thread != end; thread.increment(code)) {
    // Nanoseconds on a processor, nanoseconds in its queue, and how often.
    std::ifstream file(thread->path() / "schedstat");
    uint64_t ran = 0, waited = 0;
    if (!(file >> ran >> waited)) continue;  // it has ended meanwhile
    use.ran += kNanosecond * static_cast<double>(ran);
    use.waited += kNanosecond * static_cast<double>(waited);
    any = true;
  }
  if (!any) return std::nullopt;
  return use;
}

std::optional<double> waiting_share(const ProcessorUse& from, const ProcessorUse& to) {
  // Threads that have ended take their times with them.
  const double ran = std::max(0.0, to.ran - from.ran);
  const double waited = std::max(0.0, to.waited - from.waited);
  if (ran + waited <= 0) return std::nullopt;
  return waited / (ran + waited);
}

}  // namespace eqm
