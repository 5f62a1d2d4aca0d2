#include "eqm/base/processor_use.h"

#include <chrono>
#include <cstdint>
#include <fstream>

namespace eqm {

std::optional<ProcessorUse> processor_use() {
  return processor_use_of("/proc/self/task");
}

std::optional<ProcessorUse> processor_use_of(const std::filesystem::path& threads) {
  constexpr double kNanosecond = 1e-9;
  ProcessorUse use;
  use.at =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  std::error_code code;
  for (std::filesystem::directory_iterator thread(threads, code), end; !code && thread != end;
       thread.increment(code)) {
    // Nanoseconds on a processor, nanoseconds in its queue, and how often.
    std::ifstream file(thread->path() / "schedstat");
    uint64_t ran = 0, waited = 0;
    if (!(file >> ran >> waited)) continue;  // it has ended meanwhile
    use.ran += kNanosecond * static_cast<double>(ran);
    use.waited += kNanosecond * static_cast<double>(waited);
  }
  if (use.ran <= 0) return std::nullopt;  // kernels that keep no statistics write zeros
  return use;
}

std::optional<double> waiting_share(const ProcessorUse& from, const ProcessorUse& to) {
  const double ran = to.ran - from.ran;
  const double waited = to.waited - from.waited;
  if (ran < 0 || waited < 0 || ran + waited <= 0) return std::nullopt;
  return waited / (ran + waited);
}

}  // namespace eqm
