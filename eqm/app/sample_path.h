// The way of one sample from noise to its end, kept within bounds however many steps it takes: when
// there are too many entries every second one is dropped, and later ones are kept half as often.
#pragma once

#include <vector>

#include "eqm/descend/engine.h"

namespace eqm::app {

// What the field said at the beginning of a step.
struct Reading {
  int64_t step = 0;
  double norm = 0;    // of the gradient
  double energy = 0;  // not a number where the field has none
};

struct Waypoint {
  int64_t step = 0;
  State x;
};

// Entries at the multiples of a stride that grows: at most 2 * `few`.
template <class Entry>
class Thinned {
 public:
  explicit Thinned(size_t few) : most_(2 * few) {}

  void add(Entry entry) {
    if (entry.step % stride_ != 0) return;
    entries_.push_back(std::move(entry));
    if (entries_.size() <= most_) return;
    stride_ *= 2;
    std::erase_if(entries_, [this](const Entry& one) { return one.step % stride_ != 0; });
  }

  const std::vector<Entry>& entries() const { return entries_; }
  int64_t stride() const { return stride_; }

 private:
  size_t most_;
  int64_t stride_ = 1;
  std::vector<Entry> entries_;
};

struct SamplePath {
  static constexpr size_t kFewReadings = 1000;

  explicit SamplePath(size_t few_states) : states(few_states) {}

  // The state at a step, or the last one kept before it.
  const State& at(int64_t step) const;
  // The reading of exactly this step; null where none was kept.
  const Reading* reading_at(int64_t step) const;

  Thinned<Reading> readings{kFewReadings};
  Thinned<Waypoint> states;
  Waypoint end;        // the final state and how many steps it took
  bool ended = false;  // true once the sample is done or was cancelled
};

}  // namespace eqm::app
