#include "eqm/descend/engine.h"

#include <algorithm>
#include <numeric>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/base/memory.h"

namespace eqm {
namespace {

// Of a batch's activations: enough rows that weights are read for many of them, few enough that
// activations stay near the cores (docs/performance.md, "Rows").
constexpr double kBatchBytes = 24 << 20;
constexpr double kLeastRows = 8, kMostRows = 4096;
// While only the consumer works, how often the caller of run() is asked whether to continue.
constexpr std::chrono::milliseconds kAskAgain(50);

std::string message_of_current_exception() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is no std::exception was thrown";
  }
}

// Waits at its end until everything is delivered, whatever was thrown.
struct Drain {
  const std::unique_ptr<OutcomeConsumer>& consumer;

  ~Drain() {
    if (consumer) consumer->drain();
  }
};

}  // namespace

int64_t default_capacity(const Field& field) {
  const double bytes = sizeof(float) * std::max(1.0, field.activation_floats_per_row());
  return static_cast<int64_t>(std::clamp(kBatchBytes / bytes, kLeastRows, kMostRows));
}

Engine::Engine(const Field& field, Shape shape, const Runtime& runtime, int64_t capacity)
    : Engine(field, std::move(shape), runtime, EngineOptions{.capacity = capacity}) {}

Engine::Engine(const Field& field, Shape shape, const Runtime& runtime, EngineOptions options)
    : field_(field),
      shape_(std::move(shape)),
      size_(static_cast<size_t>(
          std::accumulate(shape_.begin(), shape_.end(), int64_t{1}, std::multiplies<>()))),
      runtime_(runtime),
      options_(std::move(options)),
      queue_(static_cast<size_t>(std::max<int64_t>(0, options_.queue))) {
  if (options_.capacity <= 0) options_.capacity = default_capacity(field);
  if (options_.backlog <= 0) options_.backlog = 2 * options_.capacity;
  if (!runtime.device.is_cpu()) return;
  const double numbers = std::max(field.activation_floats_per_row(), static_cast<double>(size_));
  require_memory(static_cast<double>(options_.capacity) * numbers *
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

std::optional<Engine::Id> Engine::try_submit(Request request) {
  check(request);
  Id id = 0;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      throw Error(ErrorKind::usage, "the engine takes no more samples", "submit before close()");
    }
    if (queue_.full()) return std::nullopt;
    id = next_id_++;
    queue_.push({.id = id, .request = std::move(request)});
  }
  news_.notify_all();
  return id;
}

Engine::Id Engine::submit(Request request) {
  if (const std::optional<Id> id = try_submit(std::move(request))) return *id;
  throw Error(ErrorKind::usage,
              fmt::format("the engine's queue is full: {} samples wait already", options_.queue),
              "submit again when some are done, or make an engine with a longer queue");
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
  EngineCounts counts = counts_;
  counts.queued = static_cast<int64_t>(queue_.size()) + (held_ ? 1 : 0);
  return counts;
}

// A request larger than the capacity runs by itself.
bool Engine::has_room(const Request& request) const {
  const auto rows = static_cast<int64_t>(request.terms.list.size());
  return active_.empty() || active_rows_ + rows <= options_.capacity;
}

// The next request, of the queue or else of the supply, if its rows have room.
std::optional<WaitingRequest> Engine::next(const Supply& supply) {
  {
    const std::lock_guard lock(mutex_);
    if (held_) {
      if (!has_room(held_->request)) return std::nullopt;
      return std::exchange(held_, std::nullopt);
    }
    if (!queue_.empty()) {
      if (!has_room(queue_.front())) return std::nullopt;
      return queue_.pop();
    }
  }
  return supply ? next_supplied(supply) : std::nullopt;
}

std::optional<WaitingRequest> Engine::next_supplied(const Supply& supply) {
  std::optional<Request> supplied = supply();
  if (!supplied) return std::nullopt;
  check(*supplied);
  const std::lock_guard lock(mutex_);
  WaitingRequest waiting = {.id = next_id_++, .request = std::move(*supplied)};
  if (has_room(waiting.request)) return waiting;
  held_ = std::move(waiting);
  return std::nullopt;
}

void Engine::start(WaitingRequest waiting) {
  std::optional<std::string> message;
  try {
    active_.emplace_back(waiting.id, std::move(waiting.request));
  } catch (...) {  // of the rule, which has left the request as it is
    message = message_of_current_exception();
  }
  if (message) {
    end_unstarted(std::move(waiting), DescentStatus::failed, std::move(*message));
    return;
  }
  active_rows_ += active_.back().rows();
  {
    const std::lock_guard lock(mutex_);
    ++counts_.active;
  }
  if (active_.back().request().stop.limit == 0) {
    finish(std::prev(active_.end()), DescentStatus::limit);
  }
}

// Fills the places that are free.
void Engine::admit(const Supply& supply) {
  while (active_rows_ < options_.capacity && !consumer_is_behind()) {
    std::optional<WaitingRequest> waiting = next(supply);
    if (!waiting) break;
    start(std::move(*waiting));
  }
}

bool Engine::consumer_is_behind() {
  if (!consumer_) return false;
  const int64_t waiting = consumer_->waiting();
  if (waiting >= options_.backlog) consumer_behind_ = true;
  if (waiting <= options_.backlog / 2) consumer_behind_ = false;
  return consumer_behind_;
}

bool Engine::consumer_is_idle() const {
  return !consumer_ || consumer_->waiting() == 0;
}

// Ends what was cancelled and what is past its deadline; true when everything was cancelled.
bool Engine::end_unwanted() {
  const auto timed = [](const ActiveSample& sample) {
    return sample.request().deadline.has_value();
  };
  const bool any_timed = std::ranges::any_of(active_, timed);
  std::set<Id> ids;
  std::vector<WaitingRequest> leaving;
  bool all = false;
  Id below = 0;  // of which all are cancelled
  Deadline now = Deadline::min();
  const auto unwanted = [&](Id id, const Request& request) -> std::optional<DescentStatus> {
    if (id < below || ids.contains(id)) return DescentStatus::cancelled;
    if (request.deadline && *request.deadline <= now) return DescentStatus::expired;
    return std::nullopt;
  };
  {
    const std::lock_guard lock(mutex_);
    const bool held_timed = held_ && held_->request.deadline;
    const bool queue_timed = queue_.earliest_deadline() != Deadline::max();
    if (any_timed || held_timed || queue_timed) now = options_.now();
    if (cancelled_.empty() && !cancel_all_ && now == Deadline::min()) return false;
    ids.swap(cancelled_);
    all = std::exchange(cancel_all_, false);
    if (all) below = cancel_below_;
    const auto leaves = [&](const WaitingRequest& waiting) {
      return unwanted(waiting.id, waiting.request).has_value();
    };
    if (!ids.empty() || all || queue_.earliest_deadline() <= now) leaving = queue_.take_if(leaves);
    if (held_ && leaves(*held_)) leaving.push_back(*std::exchange(held_, std::nullopt));
  }
  for (auto sample = active_.begin(); sample != active_.end();) {
    const auto following = std::next(sample);
    if (const auto status = unwanted(sample->id(), sample->request())) finish(sample, *status);
    sample = following;
  }
  for (WaitingRequest& waiting : leaving) {
    const DescentStatus status = *unwanted(waiting.id, waiting.request);
    end_unstarted(std::move(waiting), status);
  }
  return all;
}

void Engine::end_unstarted(WaitingRequest waiting, DescentStatus status, std::string message) {
  EndedSample ended = {.id = waiting.id,
                       .done = std::move(waiting.request.done),
                       .outcome = {.x = std::move(waiting.request.start), .record = {}}};
  ended.outcome.record.status = status;
  ended.outcome.record.message = std::move(message);
  end(std::move(ended));
}

void Engine::finish(ActiveList::iterator sample, DescentStatus status, std::string message) {
  EndedSample ended = {.id = sample->id(),
                       .done = sample->request().done,
                       .outcome = sample->outcome(status, std::move(message))};
  active_rows_ -= sample->rows();
  active_.erase(sample);
  {
    const std::lock_guard lock(mutex_);
    --counts_.active;
    counts_.steps += ended.outcome.record.steps;
    counts_.finished_evaluations += ended.outcome.record.evaluations;
  }
  end(std::move(ended));
}

void Engine::end(EndedSample ended) {
  {
    const std::lock_guard lock(mutex_);
    ++counts_.finished;
    if (ended.outcome.record.status == DescentStatus::failed) ++counts_.failed;
  }
  if (!ended.done) return;
  if (consumer_) {
    consumer_->add(std::move(ended));
  } else {
    deliver(std::move(ended));
  }
}

void Engine::deliver(EndedSample ended) {
  SampleRecord record = ended.outcome.record;
  try {
    ended.done(std::move(ended.outcome));
    return;
  } catch (...) {
    record.message = message_of_current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    if (record.status != DescentStatus::failed) ++counts_.failed;
  }
  record.status = DescentStatus::failed;
  if (options_.receiver_failed) options_.receiver_failed(ended.id, record);
}

// The questions of all active samples; those that cannot ask have failed.
std::vector<Question> Engine::ask() {
  std::vector<Question> questions;
  questions.reserve(active_.size());
  for (auto sample = active_.begin(); sample != active_.end();) {
    const auto following = std::next(sample);
    std::optional<std::string> message;
    try {
      questions.push_back(sample->question());
    } catch (...) {  // of the rule or the clock
      message = message_of_current_exception();
    }
    if (message) finish(sample, DescentStatus::failed, std::move(*message));
    sample = following;
  }
  return questions;
}

std::vector<Answer> Engine::evaluate_all(const std::vector<Question>& questions) try {
  const RuntimeScope scope(runtime_);
  std::optional<WorkspaceScope> memory;
  if (runtime_.workspaces == Workspaces::reuse) memory.emplace(workspace_);
  return evaluate(field_, shape_, runtime_.tensors(), questions);
} catch (...) {
  const std::string message = message_of_current_exception();
  while (!active_.empty()) finish(active_.begin(), DescentStatus::failed, message);
  throw;
}

void Engine::tick() {
  const std::vector<Question> questions = ask();
  if (questions.empty()) return;
  const std::vector<Answer> answers = evaluate_all(questions);
  {
    const std::lock_guard lock(mutex_);
    ++counts_.ticks;
    counts_.rows += active_rows_;
    counts_.evaluations += static_cast<int64_t>(answers.size());
  }
  auto sample = active_.begin();
  for (const Answer& answer : answers) {
    const auto following = std::next(sample);
    std::optional<DescentStatus> status;
    std::string message;
    try {
      status = sample->take(answer);
    } catch (...) {  // of the rule or the watcher
      status = DescentStatus::failed;
      message = message_of_current_exception();
    }
    if (status) finish(sample, *status, std::move(message));
    sample = following;
  }
  double ways = 0;
  for (const ActiveSample& active : active_) ways += active.way();
  const std::lock_guard lock(mutex_);
  counts_.ways = ways + static_cast<double>(counts_.finished);
}

void Engine::start_consumer() {
  if (options_.delivery != Delivery::consumer_thread || consumer_) return;
  try {
    consumer_ =
        std::make_unique<OutcomeConsumer>([this](EndedSample ended) { deliver(std::move(ended)); },
                                          [this] {
                                            {
                                              const std::lock_guard lock(mutex_);
                                              ++deliveries_;
                                            }
                                            news_.notify_all();
                                          });
  } catch (const std::system_error&) {
    // Without a thread to spare outcomes are delivered between ticks.
  }
}

// Waits for a delivery or a cancellation, but not for long.
void Engine::await_consumer() {
  std::unique_lock lock(mutex_);
  const int64_t before = deliveries_;
  news_.wait_for(lock, kAskAgain,
                 [&] { return deliveries_ != before || cancel_all_ || !cancelled_.empty(); });
}

void Engine::work(const Supply& supply, const std::function<void()>& after_tick) {
  start_consumer();
  end_unwanted();  // what was cancelled before this run is not its supply
  bool supplied = static_cast<bool>(supply);
  while (true) {
    if (end_unwanted()) supplied = false;
    const bool idle = consumer_is_idle();  // before the supply is asked for the last time
    admit(supplied ? supply : Supply());
    if (!active_.empty()) {
      tick();
    } else if (consumer_is_behind() || (supplied && !idle)) {
      await_consumer();
    } else {
      return;
    }
    if (after_tick) after_tick();
  }
}

void Engine::run(const Supply& supply, const std::function<void()>& after_tick) {
  const Drain drain = {consumer_};
  work(supply, after_tick);
}

void Engine::serve() {
  const Drain drain = {consumer_};
  while (true) {
    work({}, {});
    std::unique_lock lock(mutex_);
    news_.wait(lock,
               [&] { return closed_ || cancel_all_ || !queue_.empty() || !cancelled_.empty(); });
    if (closed_ && queue_.empty()) return;
  }
}

}  // namespace eqm
