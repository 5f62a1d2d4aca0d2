#include "eqm/descend/active_sample.h"

#include <algorithm>
#include <cmath>

#include "eqm/base/draws.h"
#include "eqm/base/error.h"

namespace eqm {
namespace {

constexpr double kFarAway = 1e8;  // times as far from the origin as at the start

NoiseSource noise_of(NoiseKey key) {
  return [key](int64_t draw, State& out) mutable {
    key.draw = static_cast<uint32_t>(draw_course + draw);
    fill_normal(key, std::span<double>(&out[0], out.size()));
  };
}

std::unique_ptr<Course> started(const Request& request) {
  auto course = request.rule.start(request.start, noise_of(request.noise));
  if (course) return course;
  throw Error(ErrorKind::usage, "a rule began no course", "its `start` must answer one");
}

}  // namespace

ActiveSample::ActiveSample(uint64_t id, Request&& request)
    : id_(id),
      course_(started(request)),
      request_(std::move(request)),
      rows_(static_cast<int64_t>(request_.terms.list.size())),
      before_(course_->x()),
      far_(kFarAway * (1 + norm(before_))) {}

Question ActiveSample::question() const {
  return {.x = course_->probe(),
          .time = request_.clock ? request_.clock(record_.steps) : course_->time(),
          .terms = &request_.terms};
}

std::optional<DescentStatus> ActiveSample::take(const Answer& answer) {
  ++record_.evaluations;
  if (begins_a_step_) before_ = course_->x();
  if (is_lost(answer)) {
    record_.norm = norm(answer.gradient);
    return DescentStatus::diverged;
  }
  if (begins_a_step_ && !course_->knows_slope()) {
    if (const auto end = look(answer)) return end;
  }
  const Move move = course_->take(answer);
  if (is_far_away()) return DescentStatus::diverged;
  if (move == Move::rest) {  // without an energy nothing could be compared
    return std::isfinite(record_.energy) ? DescentStatus::converged : DescentStatus::diverged;
  }
  begins_a_step_ = move != Move::stage;
  if (!begins_a_step_) return std::nullopt;
  ++record_.steps;
  if (course_->knows_slope()) {
    if (const auto end = look(answer)) return end;
  }
  if (move == Move::arrival) return DescentStatus::arrived;
  if (at_limit()) return DescentStatus::limit;
  return std::nullopt;
}

bool ActiveSample::is_lost(const Answer& answer) const {
  return !is_finite(answer.gradient) && !course_->may_reject();
}

// A network that normalises answers with finite numbers wherever it is asked.
bool ActiveSample::is_far_away() const {
  return !(norm(course_->x()) <= far_);
}

// A field that changes with time is no equilibrium.
bool ActiveSample::can_rest() const {
  return !request_.clock && !request_.rule.keeps_time && !request_.rule.field_changes;
}

bool ActiveSample::at_limit() const {
  return record_.steps >= request_.stop.limit;
}

// Notes the gradient at x, shows it to the watcher and judges it.
std::optional<DescentStatus> ActiveSample::look(const Answer& answer) {
  record_.norm = norm(answer.gradient);
  record_.energy = answer.energy;
  if (request_.watch) {
    request_.watch(
        {.step = record_.steps, .x = course_->x(), .norm = record_.norm, .energy = record_.energy});
  }
  return can_rest() ? at_rest(record_.norm) : std::nullopt;
}

std::optional<DescentStatus> ActiveSample::at_rest(double length) {
  switch (rest_.with(request_.stop, length)) {
    case Resting::no:
      break;
    case Resting::converged:
      return DescentStatus::converged;
    case Resting::plateau:
      return DescentStatus::plateau;
  }
  return std::nullopt;
}

double ActiveSample::way() const {
  const double known = course_->way();
  if (known > 0) return known;
  return static_cast<double>(record_.steps) /
         static_cast<double>(std::max<int64_t>(1, request_.stop.limit));
}

Outcome ActiveSample::outcome(DescentStatus status, std::string message) const {
  const bool within_a_step = !is_finished(status) && !begins_a_step_;
  const bool undone = status == DescentStatus::diverged || within_a_step;
  Outcome outcome = {.x = undone ? before_ : course_->x(), .record = record_};
  outcome.record.status = status;
  outcome.record.message = std::move(message);
  return outcome;
}

}  // namespace eqm
