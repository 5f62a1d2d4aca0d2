// The engine at work: admits samples, ticks, ends them and hands them over. On the thread that runs
// it, but for deliver(), which may be the consumer's.
#include <algorithm>
#include <system_error>

#include "eqm/descend/engine.h"

namespace eqm {
namespace {

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

// The runtime with the kernels and the number of threads that it leaves to the thread.
Runtime as_this_thread_computes(Runtime runtime) {
  if (!runtime.kernels) runtime.kernels = kernel::path();
  if (runtime.threads == 0) runtime.threads = at::get_num_threads();
  return runtime;
}

// Waits at its end until everything is delivered, whatever was thrown.
struct Drain {
  const std::unique_ptr<OutcomeConsumer>& consumer;

  ~Drain() {
    if (consumer) consumer->drain();
  }
};

}  // namespace

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
  const WorkspaceScope memory(workspace_, runtime_.workspaces);
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
    consumer_ = std::make_unique<OutcomeConsumer>(
        as_this_thread_computes(runtime_), [this](EndedSample ended) { deliver(std::move(ended)); },
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
  const RuntimeScope scope(runtime_);
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
  while (consumer_) {  // whose receivers may submit more while the last outcomes are delivered
    consumer_->drain();
    {
      const std::lock_guard lock(mutex_);
      if (queue_.empty()) return;
    }
    work({}, after_tick);
  }
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
