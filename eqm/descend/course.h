// A rule says how a sample moves; its course is one sample under way, with everything the rule
// remembers of it. A course asks for the field at one point at a time, so that an engine can answer
// the questions of many samples, of different rules and at different steps, in one dense batch.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "eqm/descend/state.h"

namespace eqm {

// The field at the point a course asked for.
struct Answer {
  State gradient;
  double energy = std::numeric_limits<double>::quiet_NaN();  // where the field has one
  double weight = 1;  // of all terms together: how many landscapes were added up
};

enum class Move {
  stage,    // within a step: another answer is needed
  step,     // a step is done
  arrival,  // the last step is done: nothing is left to ask
  rest,     // no step was done, and none can be
};

class Course {
 public:
  explicit Course(State start) : x_(std::move(start)) {}
  virtual ~Course() = default;

  const State& x() const { return x_; }

  // Where the field is asked for next, and the time shown there to models that see one.
  virtual State probe() const { return x_; }
  virtual double time() const { return 0; }

  virtual Move take(const Answer& answer) = 0;

  // Whether the answer that ended a step was taken at the new x, so that its slope is known there
  // before the next question. Most rules move away from where they asked.
  virtual bool knows_slope() const { return false; }

  // Fraction completed, 0 to 1; 0 means: estimate it from the step count.
  virtual double way() const { return 0; }

  // Whether an answer that is not finite only rejects what was tried, and the next try is smaller.
  virtual bool may_reject() const { return false; }

 protected:
  State x_;
};

// Fills a state with the standard normal numbers of a draw; the same numbers for the same draw.
using NoiseSource = std::function<void(int64_t draw, State& out)>;

struct Rule {
  std::function<std::unique_ptr<Course>(State start, const NoiseSource& noise)> start;
  bool needs_energy = false;
  bool keeps_time = false;     // an integrator: its course has a time and an end
  bool field_changes = false;  // with what the model is shown, so that a small norm is no rest
};

}  // namespace eqm
