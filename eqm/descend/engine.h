// The engine: every sample its own rule and its own stop, all in one dense batch. Because the field
// has no time input, samples at different steps share a batch: at every tick the field is evaluated
// once for all active rows, each sample takes its own step, those at rest leave, and waiting ones
// take their places. So evaluations that are saved are seconds that are saved.
//
// A sample's result depends on its request only, not on capacity, order, neighbours or arrival
// (but for the rounding of matrix products, which may differ with the batch size).
//
// One thread runs the engine; any thread may submit and cancel meanwhile.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "eqm/base/noise.h"
#include "eqm/descend/course.h"
#include "eqm/descend/evaluation.h"
#include "eqm/descend/stop_test.h"
#include "eqm/tensor/runtime.h"
#include "eqm/tensor/workspace.h"

namespace eqm {

enum class DescentStatus {
  converged,  // the sample came to rest: its gradient is small enough
  plateau,    // its gradient, which had fallen, falls no further
  limit,      // the step limit came first
  arrived,    // the rule came to its end: an integrator at its last time, a landing
  diverged,   // a gradient that is not finite, or a state far away; x is the state before
  cancelled,
};

const char* name_of(DescentStatus status);

struct SampleRecord {
  int64_t steps = 0;        // updates
  int64_t evaluations = 0;  // of the field; a tick with several terms counts once
  // Of the last gradient judged, and the energy there; not a number where nothing was.
  double norm = std::numeric_limits<double>::quiet_NaN();
  double energy = std::numeric_limits<double>::quiet_NaN();
  DescentStatus status = DescentStatus::cancelled;  // until something else is known
};

// A sample at the beginning of a step.
struct Sight {
  int64_t step = 0;
  const State& x;
  double norm = 0;  // of the gradient at the probe
  double energy = 0;
};

struct Outcome {
  State x;
  SampleRecord record;
};

struct Request {
  State start;
  Terms terms;
  Rule rule;
  StopTest stop;
  NoiseKey noise = {};  // whose seed and sample number the rule's noise has
  // The time shown at a step to a model that sees time; empty: the course's own. A field that
  // changes with time is no equilibrium: the norm then stops nothing.
  std::function<double(int64_t step)> clock = {};
  std::function<void(const Sight&)> watch = {};
  std::function<void(Outcome)> done = {};
};

struct EngineCounts {
  int64_t queued = 0, active = 0, finished = 0;
  int64_t steps = 0;  // of finished samples
  int64_t rows = 0;   // evaluated so far
  int64_t ticks = 0;  // batches so far
  // Field evaluations, one per sample and tick, of all and of finished samples.
  int64_t evaluations = 0, finished_evaluations = 0;
  double ways = 0;  // sum over samples of the fraction completed; finished samples count 1
};

class Engine {
 public:
  using Id = uint64_t;
  // Brings the next request when there is room, or nothing: it is asked again after the next tick
  // while samples are under way, and no more when none is.
  using Supply = std::function<std::optional<Request>()>;

  // `shape` is that of one state; the runtime has the device and precision of the field, and every
  // tick computes as it says. A capacity of 0 rows lets the engine choose; one that the machine
  // cannot hold is a usage error.
  Engine(const Field& field, Shape shape, const Runtime& runtime, int64_t capacity = 0);

  ~Engine();

  // Queues a sample; any thread. Requests that can never work are usage errors here, as are those
  // after close().
  Id submit(Request request);
  // The sample ends as cancelled before the next tick; nothing when it has ended already. Any
  // thread.
  void cancel(Id id);
  // All that were submitted so far, and the supply of a run that is under way.
  void cancel_all();

  // Works until everything submitted, and everything the supply brings, is done. `after_tick` is
  // called after every evaluation. Callbacks are called on this thread; what they throw comes out
  // here, and ends the engine for good: what was under way is lost.
  void run(const Supply& supply = {}, const std::function<void()>& after_tick = {});

  // Works and waits for more until close() is called and everything is done.
  void serve();
  void close();

  EngineCounts counts() const;
  int64_t capacity() const { return capacity_; }
  Workspace::Counts memory() const { return workspace_.counts(); }

 private:
  struct Waiting {
    Id id;
    Request request;
  };
  struct Active;

  void check(const Request& request) const;
  std::optional<Waiting> next(const Supply& supply);
  bool has_room(const Request& request) const;
  void start(Waiting waiting);
  void work(const Supply& supply, const std::function<void()>& after_tick);
  bool admit(const Supply& supply);
  void tick();
  static double way_of(const Active& sample);
  bool drop_cancelled();
  std::optional<DescentStatus> settle(Active& sample, const Answer& answer);
  void finish(std::list<Active>::iterator sample, DescentStatus status);

  const Field& field_;
  Shape shape_;
  size_t size_;  // numbers of a state
  Runtime runtime_;
  int64_t capacity_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable news_;
  std::deque<Waiting> queue_;
  std::set<Id> cancelled_;
  bool cancel_all_ = false, closed_ = false, broken_ = false;
  Id cancel_below_ = 0;  // where cancel_all_ ends
  EngineCounts counts_;
  Id next_id_ = 1;

  std::list<Active> active_;  // of the running thread alone
  int64_t active_rows_ = 0;
  Workspace workspace_;  // of a tick
};

// Rows enough to keep matrix products busy, and few enough that what they compute stays near the
// processor.
int64_t default_capacity(const Field& field);

}  // namespace eqm
