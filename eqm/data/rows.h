// Rows of training, numbered from the first one ever trained on. Row r is position r of the stream
// of examples (batch_maker.h), and its noise, γ, dropout and hidden label are functions of
// (seed, r) alone. Batch k of B rows is [k B, (k + 1) B); a process may compute a part of it.
#pragma once

#include <cstdint>

namespace eqm {

struct RowRange {
  int64_t first = 0;
  int64_t count = 0;

  int64_t end() const { return first + count; }
  bool operator==(const RowRange&) const = default;
};

inline RowRange rows_of_batch(int64_t number, int64_t batch) {
  return {.first = number * batch, .count = batch};
}

// Part `part` of `parts` consecutive ones, whose sizes differ by one row at most.
inline RowRange part_of(const RowRange& rows, int64_t part, int64_t parts) {
  const int64_t begin = rows.count * part / parts, end = rows.count * (part + 1) / parts;
  return {.first = rows.first + begin, .count = end - begin};
}

}  // namespace eqm
