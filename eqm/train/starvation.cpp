#include "eqm/train/starvation.h"

#include <fmt/format.h>

namespace eqm {
namespace {

constexpr double kWindow = 30;  // seconds; a short burst of something else is no matter
// One busy program beside two threads on two processors makes 25 to 33 %; an idle machine 1 %.
constexpr double kStarved = 0.15;
// Whoever gets this share of all processors is in its own way: more threads than processors.
constexpr double kAlone = 0.95;

}  // namespace

std::optional<std::string> StarvationWatch::add(const ProcessorUse& use) {
  if (told_) return std::nullopt;
  if (!start_) start_ = use;
  const double seconds = use.at - start_->at;
  if (seconds < kWindow) return std::nullopt;
  const double share = waiting_share(*start_, use).value_or(0);
  const double busy = (use.ran - start_->ran) / (seconds * static_cast<double>(processors_));
  start_ = use;
  if (share < kStarved || busy > kAlone) return std::nullopt;
  told_ = true;
  return fmt::format(
      "short of processor time: for {:.0f} % of the last {:.0f} s of work threads waited for a "
      "processor, because other programs use them; stop those{}",
      100 * share, seconds,
      threads_ > 1
          ? fmt::format(", or compute with fewer than {} threads ({{threads}} 1): they wait "
                        "for each other",
                        threads_)
          : std::string());
}

}  // namespace eqm
