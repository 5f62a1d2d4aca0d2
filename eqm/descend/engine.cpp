#include "eqm/descend/engine.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/draws.h"
#include "eqm/base/error.h"
#include "eqm/base/memory.h"

namespace eqm {
namespace {

// Of a batch's activations: enough rows that weights are read for many of them, few enough that
// activations stay near the cores (docs/performance.md, "Rows").
constexpr double kBatchBytes = 24 << 20;
constexpr double kFarAway = 1e8;  // times as far from the origin as at the start
constexpr double kLeastRows = 8, kMostRows = 4096;

NoiseSource noise_of(NoiseKey key) {
  return [key](int64_t draw, State& out) mutable {
    key.draw = static_cast<uint32_t>(draw_course + draw);
    fill_normal(key, std::span<double>(&out[0], out.size()));
  };
}

std::optional<DescentStatus> status_of(Resting resting) {
  switch (resting) {
    case Resting::no:
      return std::nullopt;
    case Resting::converged:
      return DescentStatus::converged;
    case Resting::plateau:
      return DescentStatus::plateau;
  }
  return std::nullopt;
}

int64_t rows_of(const Request& request) {
  return static_cast<int64_t>(request.terms.list.size());
}

}  // namespace

struct Engine::Active {
  Id id = 0;
  Request request;
  std::unique_ptr<Course> course;
  State last;      // the state at the beginning of the step
  double far = 0;  // a norm that no descent comes back from
  Rest rest;
  SampleRecord record;
  bool fresh = true;  // at the beginning of a step
  int64_t rows = 1;
};

const char* name_of(DescentStatus status) {
  switch (status) {
    case DescentStatus::converged:
      return "converged";
    case DescentStatus::plateau:
      return "plateau";
    case DescentStatus::limit:
      return "limit";
    case DescentStatus::arrived:
      return "arrived";
    case DescentStatus::diverged:
      return "diverged";
    case DescentStatus::cancelled:
      return "cancelled";
  }
  return "unknown";
}

int64_t default_capacity(const Field& field) {
  const double bytes = sizeof(float) * std::max(1.0, field.activation_floats_per_row());
  return static_cast<int64_t>(std::clamp(kBatchBytes / bytes, kLeastRows, kMostRows));
}

Engine::Engine(const Field& field, Shape shape, const Runtime& runtime, int64_t capacity)
    : field_(field),
      shape_(std::move(shape)),
      size_(static_cast<size_t>(
          std::accumulate(shape_.begin(), shape_.end(), int64_t{1}, std::multiplies<>()))),
      runtime_(runtime),
      capacity_(capacity > 0 ? capacity : default_capacity(field)) {
  if (!runtime.device.is_cpu()) return;
  const double numbers = std::max(field.activation_floats_per_row(), static_cast<double>(size_));
  require_memory(static_cast<double>(capacity_) * numbers *
                     static_cast<double>(runtime.tensors().dtype().itemsize()),
                 "lower the rows computed at once ({rows})");
}

Engine::~Engine() = default;

void Engine::check(const Request& request) const {
  request.stop.check();
  check_terms(field_, request.terms);
  if (request.start.size() != size_) {
    throw Error(ErrorKind::usage,
                fmt::format("a start of {} numbers does not fit states of shape {}",
                            request.start.size(), fmt::join(shape_, "x")),
                "give starts of the model's own shape");
  }
  if (!is_finite(request.start)) {
    throw Error(ErrorKind::usage, "a start state holds numbers that are not finite",
                "check where it comes from");
  }
  if (!request.rule.start) {
    throw Error(ErrorKind::usage, "a sample needs a rule to descend by",
                "gradient_descent(eta), for instance");
  }
  const bool energy = field_.has_energy() && request.terms.guided_channels < 0;
  if (request.rule.needs_energy && !energy) {
    throw Error(ErrorKind::usage, "this rule compares energies, and the model has none",
                "use it with an eqm-dot or eqm-l2 model, or choose another rule");
  }
}

Engine::Id Engine::submit(Request request) {
  check(request);
  Id id = 0;
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || broken_) {
      throw Error(ErrorKind::usage, "the engine takes no more samples",
                  closed_ ? "submit before close()" : "a callback threw; make another engine");
    }
    id = next_id_++;
    queue_.push_back({.id = id, .request = std::move(request)});
    ++counts_.queued;
  }
  news_.notify_all();
  return id;
}

void Engine::cancel(Id id) {
  {
    const std::lock_guard lock(mutex_);
    cancelled_.insert(id);
  }
  news_.notify_all();
}

void Engine::cancel_all() {
  {
    const std::lock_guard lock(mutex_);
    cancel_all_ = true;
    cancel_below_ = next_id_;
  }
  news_.notify_all();
}

void Engine::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  news_.notify_all();
}

EngineCounts Engine::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

// The next request, of the queue or else of the supply, if its rows have room.
std::optional<Engine::Waiting> Engine::next(const Supply& supply) {
  std::optional<Request> supplied;
  {
    const std::lock_guard lock(mutex_);
    if (queue_.empty() && !supply) return std::nullopt;
    if (!queue_.empty() && !has_room(queue_.front().request)) return std::nullopt;
    if (!queue_.empty()) {
      Waiting first = std::move(queue_.front());
      queue_.pop_front();
      --counts_.queued;
      return first;
    }
  }
  supplied = supply();
  if (!supplied) return std::nullopt;
  check(*supplied);
  const std::lock_guard lock(mutex_);
  Waiting waiting = {.id = next_id_++, .request = std::move(*supplied)};
  if (has_room(waiting.request)) return waiting;
  queue_.push_front(std::move(waiting));
  ++counts_.queued;
  return std::nullopt;
}

// More rows than the capacity have room alone.
bool Engine::has_room(const Request& request) const {
  return active_.empty() || active_rows_ + rows_of(request) <= capacity_;
}

void Engine::start(Waiting waiting) {
  Active& sample = active_.emplace_back();
  sample.id = waiting.id;
  sample.request = std::move(waiting.request);
  sample.rows = rows_of(sample.request);
  sample.course = sample.request.rule.start(sample.request.start, noise_of(sample.request.noise));
  sample.last = sample.course->x();
  sample.far = kFarAway * (1 + norm(sample.last));
  active_rows_ += sample.rows;
  {
    const std::lock_guard lock(mutex_);
    ++counts_.active;
  }
  if (sample.request.stop.limit == 0) finish(std::prev(active_.end()), DescentStatus::limit);
}

// Fills the places that are free; false when nothing is active or waiting.
bool Engine::admit(const Supply& supply) {
  while (active_rows_ < capacity_) {
    std::optional<Waiting> waiting = next(supply);
    if (!waiting) break;
    start(std::move(*waiting));
  }
  return !active_.empty();
}

// True when everything was cancelled.
bool Engine::drop_cancelled() {
  std::set<Id> ids;
  std::deque<Waiting> dropped;
  bool all = false;
  Id below = 0;  // of which all are gone
  const auto gone = [&](Id id) { return id < below || ids.contains(id); };
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_.empty() && !cancel_all_) return false;
    ids.swap(cancelled_);
    all = std::exchange(cancel_all_, false);
    if (all) below = cancel_below_;
    const auto stays = [&](const Waiting& waiting) { return !gone(waiting.id); };
    const auto kept = std::stable_partition(queue_.begin(), queue_.end(), stays);
    std::move(kept, queue_.end(), std::back_inserter(dropped));
    queue_.erase(kept, queue_.end());
    counts_.queued = static_cast<int64_t>(queue_.size());
    counts_.finished += static_cast<int64_t>(dropped.size());
  }
  for (auto sample = active_.begin(); sample != active_.end();) {
    const auto next = std::next(sample);
    if (gone(sample->id)) finish(sample, DescentStatus::cancelled);
    sample = next;
  }
  for (Waiting& waiting : dropped) {
    Outcome outcome = {.x = std::move(waiting.request.start), .record = {}};
    outcome.record.status = DescentStatus::cancelled;
    if (waiting.request.done) waiting.request.done(std::move(outcome));
  }
  return all;
}

void Engine::finish(std::list<Active>::iterator sample, DescentStatus status) {
  const Active ended = std::move(*sample);
  active_.erase(sample);
  active_rows_ -= ended.rows;
  {
    const std::lock_guard lock(mutex_);
    --counts_.active;
    ++counts_.finished;
    counts_.steps += ended.record.steps;
    counts_.finished_evaluations += ended.record.evaluations;
  }
  Outcome outcome = {.x = ended.course->x(), .record = ended.record};
  outcome.record.status = status;
  if (status == DescentStatus::diverged || (status == DescentStatus::cancelled && !ended.fresh)) {
    outcome.x = ended.last;
  }
  if (ended.request.done) ended.request.done(std::move(outcome));
}

// What an answer makes of a sample: nothing when it goes on.
std::optional<DescentStatus> Engine::settle(Active& sample, const Answer& answer) {
  const StopTest& stop = sample.request.stop;
  ++sample.record.evaluations;
  if (sample.fresh) sample.last = sample.course->x();
  if (!is_finite(answer.gradient) && !sample.course->may_reject()) {
    sample.record.norm = norm(answer.gradient);
    return DescentStatus::diverged;
  }
  const Rule& rule = sample.request.rule;
  const bool rests = !sample.request.clock && !rule.keeps_time && !rule.field_changes;
  const auto judge = [&](double length, double energy) -> std::optional<DescentStatus> {
    sample.record.norm = length;
    sample.record.energy = energy;
    if (sample.request.watch) {
      sample.request.watch(
          {.step = sample.record.steps, .x = sample.course->x(), .norm = length, .energy = energy});
    }
    return rests ? status_of(sample.rest.with(stop, length)) : std::nullopt;
  };
  if (sample.fresh && !sample.course->knows_slope()) {
    if (const auto ended = judge(norm(answer.gradient), answer.energy)) return ended;
  }
  const Move move = sample.course->take(answer);
  // A network that normalises answers with finite numbers wherever it is asked.
  if (!(norm(sample.course->x()) <= sample.far)) return DescentStatus::diverged;
  if (move == Move::rest) {  // without an energy nothing could be compared
    return std::isfinite(sample.record.energy) ? DescentStatus::converged : DescentStatus::diverged;
  }
  sample.fresh = move != Move::stage;
  if (!sample.fresh) return std::nullopt;
  ++sample.record.steps;
  if (sample.course->knows_slope()) {
    if (const auto ended = judge(norm(answer.gradient), answer.energy)) return ended;
  }
  if (move == Move::arrival) return DescentStatus::arrived;
  if (sample.record.steps >= stop.limit) return DescentStatus::limit;
  return std::nullopt;
}

// The share of its way that a sample has gone: in the course's own measure, or by steps.
double Engine::way_of(const Active& sample) {
  const double known = sample.course->way();
  if (known > 0) return known;
  return static_cast<double>(sample.record.steps) /
         static_cast<double>(std::max<int64_t>(1, sample.request.stop.limit));
}

void Engine::tick() {
  std::vector<Question> questions;
  for (const Active& sample : active_) {
    const auto& clock = sample.request.clock;
    questions.push_back({.x = sample.course->probe(),
                         .time = clock ? clock(sample.record.steps) : sample.course->time(),
                         .terms = &sample.request.terms});
  }
  std::vector<Answer> answers;
  {
    const RuntimeScope scope(runtime_);
    std::optional<WorkspaceScope> memory;
    if (runtime_.workspaces == Workspaces::reuse) memory.emplace(workspace_);
    answers = evaluate(field_, shape_, runtime_.tensors(), questions);
  }
  {
    const std::lock_guard lock(mutex_);
    ++counts_.ticks;
    counts_.rows += active_rows_;
    counts_.evaluations += static_cast<int64_t>(answers.size());
  }
  auto sample = active_.begin();
  for (const Answer& answer : answers) {
    const auto next = std::next(sample);
    if (const auto status = settle(*sample, answer)) finish(sample, *status);
    sample = next;
  }
  double ways = 0;
  for (const Active& active : active_) ways += way_of(active);
  const std::lock_guard lock(mutex_);
  counts_.ways = ways + static_cast<double>(counts_.finished);
}

void Engine::work(const Supply& supply, const std::function<void()>& after_tick) {
  drop_cancelled();  // what was cancelled before this run is not its supply
  bool supplied = true;
  while (true) {
    if (drop_cancelled()) supplied = false;
    if (!admit(supplied ? supply : Supply())) break;
    tick();
    if (after_tick) after_tick();
  }
}

void Engine::run(const Supply& supply, const std::function<void()>& after_tick) {
  {
    const std::lock_guard lock(mutex_);
    if (broken_) {
      throw Error(ErrorKind::usage, "the engine stopped at an error and cannot go on",
                  "make another engine");
    }
  }
  try {
    work(supply, after_tick);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    throw;
  }
}

void Engine::serve() {
  while (true) {
    run();
    std::unique_lock lock(mutex_);
    news_.wait(lock,
               [&] { return closed_ || cancel_all_ || !queue_.empty() || !cancelled_.empty(); });
    if (closed_ && queue_.empty()) return;
  }
}

}  // namespace eqm
