#include "eqm/base/nearest.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eqm {

int edit_distance(std::string_view a, std::string_view b) {
  const size_t columns = b.size() + 1;
  std::vector<int> before(columns), last(columns), row(columns);
  for (size_t j = 0; j < columns; ++j) last[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j < columns; ++j) {
      const int change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last.back();
}

namespace {

// Letters and digits in lower case: what is left when "XS/4" is written as "xs4" or "xs-4".
std::string essence(std::string_view word) {
  std::string letters;
  for (const char letter : word) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) != 0 || byte >= 0x80) {
      letters += static_cast<char>(std::tolower(byte));
    }
  }
  return letters;
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::string meant = essence(word);
  for (const std::string& candidate : candidates) {
    if (candidate == word) return candidate;
  }
  for (const std::string& candidate : candidates) {
    if (!meant.empty() && essence(candidate) == meant) return candidate;
  }
  // A third of the letters may be wrong; a prefix of three letters or more counts as one mistake.
  const int limit = std::max(1, static_cast<int>(word.size()) / 3 + 1);
  std::string best;
  int best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    const bool prefix = word.size() >= 3 && candidate.starts_with(word);
    const int changes = edit_distance(word, candidate);
    const int distance = prefix ? std::min(1, changes) : changes;
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  const std::string best = nearest(word, candidates);
  if (!best.empty()) return fmt::format("did you mean '{}'?", best);
  return fmt::format("one of: {}", fmt::join(candidates, ", "));
}

}  // namespace eqm
