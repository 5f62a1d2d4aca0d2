#include "eqm/descend/sampling.h"

#include <atomic>
#include <exception>
#include <map>
#include <mutex>

#include "eqm/base/error.h"

namespace eqm {
namespace {

// Samples begun and not handed on yet, in capacities. One that takes long holds up all that come
// after it; then the batch runs empty rather than that memory fills up.
constexpr int64_t kMostOpen = 17;

// Hands outcomes on in the order of their numbers. Added to by one thread at a time.
class InOrder {
 public:
  explicit InOrder(const std::function<void(int64_t, Outcome)>& done) : done_(done) {}

  void add(int64_t sample, Outcome outcome) {
    waiting_.emplace(sample, std::move(outcome));
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_;
         first = waiting_.begin(), ++next_) {
      Outcome ready = std::move(first->second);
      waiting_.erase(first);
      done_(next_, std::move(ready));
    }
  }

  int64_t handed_on() const { return next_; }  // any thread

 private:
  const std::function<void(int64_t, Outcome)>& done_;
  std::map<int64_t, Outcome> waiting_;
  std::atomic<int64_t> next_ = 0;
};

// The first exception of the callbacks, from whichever thread.
class FirstError {
 public:
  template <class Call>
  void guard(const Call& call) {
    try {
      call();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  bool any() const {
    const std::lock_guard lock(mutex_);
    return error_ != nullptr;
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  mutable std::mutex mutex_;
  std::exception_ptr error_;
};

EngineCounts run_loop(const Field& field, const StateSpace& space, const Descent& descent,
                      const SamplingSpec& spec) {
  Engine engine(field, space.shape, space.type,
                EngineOptions{.capacity = spec.capacity, .delivery = spec.delivery});
  FirstError failure;
  InOrder ordered(spec.done);
  SamplingSpec guarded = spec;
  if (spec.watch) {
    guarded.watch = [&](int64_t sample, const Sight& sight) {
      failure.guard([&] { spec.watch(sample, sight); });
    };
  }
  if (spec.done) {
    guarded.done = [&](int64_t sample, Outcome outcome) {
      if (failure.any()) return;
      failure.guard([&] {
        if (spec.in_order) {
          ordered.add(sample, std::move(outcome));
        } else {
          spec.done(sample, std::move(outcome));
        }
      });
    };
  }
  int64_t next = 0;
  const auto supply = [&]() -> std::optional<Request> {
    if (next == spec.count) return std::nullopt;
    const bool waits = spec.in_order && spec.done;
    if (waits && next - ordered.handed_on() >= kMostOpen * engine.capacity()) return std::nullopt;
    return request_of(guarded, descent, space, next++);
  };
  engine.run(supply, [&] {
    if (failure.any() || (spec.go_on && !spec.go_on(engine.counts()))) engine.cancel_all();
  });
  failure.rethrow();
  return engine.counts();
}

// Runs and gathers all samples in a tensor like `x`.
template <class Run>
DescentResult gather(Tensor x, SamplingSpec spec, const Run& run) {
  DescentResult result = {.x = std::move(x),
                          .samples = std::vector<SampleRecord>(static_cast<size_t>(spec.count)),
                          .counts = {}};
  spec.in_order = false;
  spec.done = [&result](int64_t i, const Outcome& outcome) {
    put_state(outcome.x, result.x, i);
    result.samples[static_cast<size_t>(i)] = outcome.record;
  };
  result.counts = run(spec);
  return result;
}

}  // namespace

EngineCounts run_sampling(const Field& field, const StateSpace& space, const SamplingSpec& spec) {
  validate(spec, field);
  if (!spec.own_descent) {
    throw Error(ErrorKind::usage, "a field without an objective needs a rule of its own",
                "set own_descent, or sample a model");
  }
  return run_loop(field, space, *spec.own_descent, spec);
}

EngineCounts run_sampling(const LearnedField& field, const SamplingSpec& spec) {
  validate(spec, field);
  const Model& model = field.model();
  return run_loop(
      field, states_of_model(model),
      spec.own_descent ? *spec.own_descent : make_descent(spec.descent, model.objective), spec);
}

DescentResult sample(const LearnedField& field, const SamplingSpec& spec) {
  const StateSpace space = states_of_model(field.model());
  Shape shape = space.shape;
  shape.insert(shape.begin(), spec.count);
  return gather(torch::zeros(shape, space.type), spec,
                [&](const SamplingSpec& whole) { return run_sampling(field, whole); });
}

DescentResult descend(const Field& field, const Tensor& start, const Descent& descent,
                      SamplingSpec spec) {
  const StateSpace space = {.shape = Shape(start.sizes().begin() + 1, start.sizes().end()),
                            .type = start.options()};
  spec.count = start.size(0);
  spec.start = [&](int64_t row) { return state_of(start, row); };
  validate(spec, field);
  return gather(start.detach().clone(), spec,
                [&](const SamplingSpec& whole) { return run_loop(field, space, descent, whole); });
}

State state_of(const Tensor& batch, int64_t row) {
  const Tensor values = batch[row].to(torch::kCPU, torch::kFloat64).contiguous();
  return State(values.data_ptr<double>(), static_cast<size_t>(values.numel()));
}

void put_state(const State& state, Tensor& batch, int64_t row) {
  const Tensor values = torch::empty(batch[row].sizes(), torch::kFloat64);
  std::copy(std::begin(state), std::end(state), values.data_ptr<double>());
  batch[row].copy_(values);
}

}  // namespace eqm
