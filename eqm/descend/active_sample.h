// One sample in the batch: its course, and what each answer of the field makes of it. Used by the
// engine's thread alone. What the rule, the clock or the watcher throws comes out of here.
#pragma once

#include <memory>
#include <optional>

#include "eqm/descend/evaluation.h"
#include "eqm/descend/request.h"

namespace eqm {

class ActiveSample {
 public:
  // What the rule throws comes out of here; the request is then as it was.
  ActiveSample(uint64_t id, Request&& request);

  uint64_t id() const { return id_; }
  const Request& request() const { return request_; }
  int64_t rows() const { return rows_; }
  const SampleRecord& record() const { return record_; }

  Question question() const;

  // How the sample ends with this answer to its question; nothing when it continues.
  std::optional<DescentStatus> take(const Answer& answer);

  // The fraction of its way that is done: in the course's own measure, or by steps.
  double way() const;

  // The state and the record it ends with.
  Outcome outcome(DescentStatus status, std::string message) const;

 private:
  bool is_lost(const Answer& answer) const;
  bool is_far_away() const;
  bool can_rest() const;
  bool at_limit() const;
  std::optional<DescentStatus> look(const Answer& answer);
  std::optional<DescentStatus> at_rest(double length);

  uint64_t id_;
  std::unique_ptr<Course> course_;
  Request request_;
  int64_t rows_;
  State before_;               // the state at the beginning of the step
  double far_;                 // a norm that no descent comes back from
  bool begins_a_step_ = true;  // the next answer is the first of a step
  Rest rest_;
  SampleRecord record_;
};

}  // namespace eqm
