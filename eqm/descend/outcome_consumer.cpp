#include "eqm/descend/outcome_consumer.h"

#include <utility>

namespace eqm {

OutcomeConsumer::OutcomeConsumer(const Runtime& runtime, std::function<void(EndedSample)> deliver,
                                 std::function<void()> delivered)
    : runtime_(runtime),
      deliver_(std::move(deliver)),
      delivered_(std::move(delivered)),
      thread_([this] { work(); }) {}

OutcomeConsumer::~OutcomeConsumer() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  news_.notify_all();
  thread_.join();
}

void OutcomeConsumer::add(EndedSample ended) {
  {
    const std::lock_guard lock(mutex_);
    ended_.push_back(std::move(ended));
    ++waiting_;
  }
  news_.notify_all();
}

int64_t OutcomeConsumer::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

void OutcomeConsumer::drain() {
  std::unique_lock lock(mutex_);
  news_.wait(lock, [this] { return waiting_ == 0; });
}

void OutcomeConsumer::work() {
  const RuntimeScope scope(runtime_);
  while (true) {
    EndedSample next;
    {
      std::unique_lock lock(mutex_);
      news_.wait(lock, [this] { return closed_ || !ended_.empty(); });
      if (ended_.empty()) return;
      next = std::move(ended_.front());
      ended_.pop_front();
    }
    deliver_(std::exchange(next, {}));  // with all that the receiver holds on to
    {
      const std::lock_guard lock(mutex_);
      --waiting_;
    }
    news_.notify_all();
    delivered_();
  }
}

}  // namespace eqm
