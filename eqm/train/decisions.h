// What a run decides as it goes: whether to take another step, when to log, measure and write a
// checkpoint, and what becomes of its work after an error. All of it is here, so that processes
// that train together can decide alike: but for stop_requested() every answer is a function of the
// step and the options.
#pragma once

#include <cstdint>
#include <functional>

#include "eqm/base/error.h"
#include "eqm/train/options.h"

namespace eqm {

class Decisions {
 public:
  // A run of so many steps that nothing stops, with nothing to do beside.
  explicit Decisions(int64_t steps);
  Decisions(const TrainOptions& options, std::function<bool()> stop_requested);

  // Asked before every step.
  bool take_step(int64_t done) const { return done < steps_ && !stop_requested_(); }

  // Of the step that was taken.
  bool log_now(int64_t step) const { return due(step, cadence_.log_every) || is_last(step); }
  bool checkpoint_now(int64_t step) const {
    return due(step, cadence_.checkpoint_every) || is_last(step);
  }
  // Something that is wanted every so many steps, 0 for never.
  bool is_wanted(int64_t step, int64_t every) const {
    return every > 0 && (due(step, every) || is_last(step));
  }
  // Whoever asks for a stop does not wait for measurements; a run that is complete anyway gets its
  // last.
  bool time_to_measure(int64_t step) const { return !stop_requested_() || is_last(step); }

  bool stop_requested() const { return stop_requested_(); }
  bool is_complete(int64_t step) const { return step >= steps_; }

 private:
  static bool due(int64_t step, int64_t every) { return every > 0 && step % every == 0; }
  bool is_last(int64_t step) const { return step == steps_; }

  int64_t steps_;
  CadenceOptions cadence_;
  std::function<bool()> stop_requested_;
};

// Whether a run that an error ends writes down the state of its last step. Whatever is wrong with
// data or disk, that state is good; after a number that is not finite it is not.
bool keeps_work_after(const Error& error);

}  // namespace eqm
