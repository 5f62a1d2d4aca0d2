// A thread that hands outcomes to their receivers, so that decoding a sample or writing a picture
// never stalls a tick. Outcomes keep their order. Adding one never blocks: whoever adds them looks
// at waiting() and starts no more samples while it is too large.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "eqm/descend/request.h"
#include "eqm/tensor/runtime.h"

namespace eqm {

struct EndedSample {
  uint64_t id = 0;
  std::function<void(Outcome)> done;
  Outcome outcome;
};

class OutcomeConsumer {
 public:
  // `deliver` must not throw; both functions are called on the consumer's thread, which computes as
  // the runtime says, `delivered` after each delivery. Where no thread can be had this throws
  // std::system_error.
  OutcomeConsumer(const Runtime& runtime, std::function<void(EndedSample)> deliver,
                  std::function<void()> delivered);
  ~OutcomeConsumer();  // after everything that was added is delivered

  OutcomeConsumer(const OutcomeConsumer&) = delete;
  OutcomeConsumer& operator=(const OutcomeConsumer&) = delete;

  // Any thread:
  void add(EndedSample ended);
  int64_t waiting() const;  // not delivered yet, with the one under way
  void drain();             // waits until everything is delivered

 private:
  void work();

  Runtime runtime_;
  std::function<void(EndedSample)> deliver_;
  std::function<void()> delivered_;
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable news_;
  std::deque<EndedSample> ended_;
  int64_t waiting_ = 0;
  bool closed_ = false;
  std::thread thread_;  // starts last
};

}  // namespace eqm
