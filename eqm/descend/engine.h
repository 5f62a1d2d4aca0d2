// The engine: every sample its own rule and its own stop, all in one dense batch. Because the field
// has no time input, samples at different steps share a batch: at every tick the field is evaluated
// once for all active rows, each sample takes its own step, those at rest leave, and waiting ones
// take their places. So evaluations that are saved are seconds that are saved.
//
// A sample's result depends on its request only, not on capacity, order, neighbours or arrival
// (but for the rounding of matrix products, which may differ with the batch size).
//
// Requests of strangers do not harm each other. What a sample's rule, clock, watcher or receiver
// throws ends that sample alone, as failed. The queue is bounded; clients with waiting requests
// take turns. Deadlines and cancellation take effect before the next tick, for waiting requests,
// too. Receivers may have a thread of their own (Delivery), so that a slow one stalls no tick.
//
// Thread safety: one thread runs the engine (run or serve); any thread may submit, cancel, close
// and ask for counts meanwhile, callbacks included.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "eqm/descend/active_sample.h"
#include "eqm/descend/outcome_consumer.h"
#include "eqm/descend/request.h"
#include "eqm/descend/request_queue.h"
#include "eqm/tensor/runtime.h"
#include "eqm/tensor/workspace.h"

namespace eqm {

// On which thread Request::done is called.
enum class Delivery {
  engine_thread,    // the one that ticks, between ticks
  consumer_thread,  // one beside it; in the order in which samples ended
};

struct EngineOptions {
  // Rows in a batch; 0 lets the engine choose. More than the machine can hold are a usage error.
  int64_t capacity = 0;
  int64_t queue = 65536;  // requests that may wait
  Delivery delivery = Delivery::engine_thread;
  // Outcomes that may wait for the consumer: with so many no sample is started until half of them
  // are delivered, so that memory is bounded by this and the capacity. Those under way go on.
  // 0 chooses twice the capacity.
  int64_t backlog = 0;
  // Called where `done` was, when `done` threw; it must not throw itself.
  std::function<void(uint64_t id, const SampleRecord&)> receiver_failed = {};
  std::function<Deadline()> now = [] { return std::chrono::steady_clock::now(); };
};

struct EngineCounts {
  int64_t queued = 0, active = 0, finished = 0;
  int64_t failed = 0;  // of the finished: as failed, or their receiver threw
  int64_t steps = 0;   // of finished samples
  int64_t rows = 0;    // evaluated so far
  int64_t ticks = 0;   // batches so far
  // Field evaluations, one per sample and tick, of all and of finished samples.
  int64_t evaluations = 0, finished_evaluations = 0;
  double ways = 0;  // sum over samples of the fraction completed; finished samples count 1
};

class Engine {
 public:
  using Id = uint64_t;
  // Brings the next request when there is room, or nothing: it is asked again after the next tick
  // or delivery while samples are under way or undelivered, and no more when none is.
  using Supply = std::function<std::optional<Request>()>;

  // `shape` is that of one state; the runtime has the device and precision of the field, and every
  // tick computes as it says.
  Engine(const Field& field, Shape shape, const Runtime& runtime, EngineOptions options = {});
  Engine(const Field& field, Shape shape, const Runtime& runtime, int64_t capacity);

  ~Engine();

  // Queues a sample; any thread. Requests that can never work are usage errors here, as are those
  // after close(), and those that find the queue full.
  Id submit(Request request);
  // The same, but nothing when the queue is full.
  std::optional<Id> try_submit(Request request);
  // The sample ends as cancelled before the next tick; nothing when it has ended already. Any
  // thread.
  void cancel(Id id);
  // All that were submitted so far, and the supply of a run that is under way.
  void cancel_all();

  // Works until everything submitted, and everything the supply brings, is done and delivered.
  // `after_tick` is called after every evaluation, and now and then while only the consumer works.
  //
  // An evaluation that throws fails the samples of its batch, with its message, and comes out here,
  // as does what `supply` and `after_tick` throw. The engine stays usable: another run continues
  // with what was queued or active.
  void run(const Supply& supply = {}, const std::function<void()>& after_tick = {});

  // Works and waits for more until close() is called and everything is done and delivered.
  void serve();
  void close();

  EngineCounts counts() const;
  int64_t capacity() const { return options_.capacity; }
  Workspace::Counts memory() const { return workspace_.counts(); }

 private:
  using ActiveList = std::list<ActiveSample>;

  void check(const Request& request) const;
  bool has_room(const Request& request) const;
  std::optional<WaitingRequest> next(const Supply& supply);
  std::optional<WaitingRequest> next_supplied(const Supply& supply);
  void start(WaitingRequest waiting);
  void admit(const Supply& supply);
  bool consumer_is_behind();
  bool consumer_is_idle() const;
  bool end_unwanted();
  std::vector<Question> ask();
  std::vector<Answer> evaluate_all(const std::vector<Question>& questions);
  void tick();
  void finish(ActiveList::iterator sample, DescentStatus status, std::string message = {});
  void end_unstarted(WaitingRequest waiting, DescentStatus status, std::string message = {});
  void end(EndedSample ended);
  void deliver(EndedSample ended);
  void work(const Supply& supply, const std::function<void()>& after_tick);
  void start_consumer();
  void await_consumer();

  const Field& field_;
  Shape shape_;
  size_t size_;  // numbers of a state
  Runtime runtime_;
  EngineOptions options_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable news_;
  RequestQueue queue_;
  std::optional<WaitingRequest> held_;  // of a supply, until there is room
  std::set<Id> cancelled_;
  bool cancel_all_ = false, closed_ = false;
  Id cancel_below_ = 0;  // where cancel_all_ ends
  EngineCounts counts_;
  Id next_id_ = 1;
  int64_t deliveries_ = 0;

  ActiveList active_;  // of the running thread alone, as what follows
  int64_t active_rows_ = 0;
  bool consumer_behind_ = false;
  Workspace workspace_;  // of a tick

  std::unique_ptr<OutcomeConsumer> consumer_;  // goes first: it uses the others
};

// Rows enough to keep matrix products busy, and few enough that what they compute stays near the
// processor.
int64_t default_capacity(const Field& field);

}  // namespace eqm
