#include "cli/engine_note.h"

#include <algorithm>

#include <fmt/format.h>

namespace eqm::cli {

std::string EngineNote::of(const EngineCounts& counts) const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun_;
  std::string text =
      fmt::format("{} active · {:.0f} rows/s", counts.active,
                  static_cast<double>(counts.rows) / std::max(1e-6, elapsed.count()));
  if (counts.finished > 0) {
    text += fmt::format(" · {:.1f} steps on average",
                        static_cast<double>(counts.steps) / static_cast<double>(counts.finished));
  }
  return text;
}

}  // namespace eqm::cli
