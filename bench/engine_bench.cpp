#include "bench/engine_bench.h"

#include <algorithm>
#include <chrono>

#include "eqm/descend/sampling.h"
#include "eqm/landscape/labels.h"

namespace eqm::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Thrown through a way that is given up.
struct GivenUp {};

struct EngineWork {
  const LearnedField& field;
  const EngineBench& options;
  Tensor labels;
  std::function<void(int64_t rows)> did;

  Tensor states_for(int64_t count) const {
    Shape shape = field.model().backbone->state_shape();
    shape.insert(shape.begin(), count);
    return torch::empty(shape, options_of(*field.model().backbone));
  }

  Tensor starts(int64_t first, int64_t count) const {
    Tensor batch = states_for(count);
    for (int64_t i = 0; i < count; ++i) {
      put_state(starting_noise(field.model(), options.seed, first + i), batch, i);
    }
    return batch;
  }
};

enum class Rows { all, masked };

// Batch after batch, each from start to end.
WayResult by_loop(const EngineWork& work, Rows rows, std::string name) {
  const EngineBench& options = work.options;
  const torch::NoGradGuard guard;
  WayResult result = {.name = std::move(name)};
  std::vector<Tensor> ends;
  const auto start = Clock::now();
  for (int64_t first = 0; first < options.samples; first += options.rows) {
    const int64_t count = std::min(options.rows, options.samples - first);
    const Condition condition = {
        .labels = work.labels.defined() ? work.labels.narrow(0, first, count) : Tensor(),
        .time = {}};
    Tensor x = work.starts(first, count), last = x;
    Tensor moving = torch::ones({count}, torch::kBool);
    for (int64_t step = 0; step < options.limit; ++step) {
      const Tensor gradient = work.field.gradient(x + options.mu * (x - last), condition);
      result.evaluated += count;
      last = x;
      if (rows == Rows::masked) {
        result.needed += moving.sum().item<int64_t>();
        moving = moving.logical_and(gradient.flatten(1).norm(2, 1) > options.threshold);
        const Tensor mask = moving.to(x.dtype()).reshape({count, 1, 1, 1});
        x = x - options.eta * gradient * mask;
        work.did(count);
        if (!moving.any().item<bool>()) break;
      } else {
        result.needed += count;
        x = x - options.eta * gradient;
        work.did(count);
      }
    }
    ends.push_back(x);
  }
  result.x = torch::cat(ends);
  result.seconds = seconds_since(start);
  return result;
}

WayResult by_engine(const EngineWork& work) {
  const EngineBench& options = work.options;
  WayResult result = {.name = "the engine", .x = work.states_for(options.samples)};
  SamplingSpec job = {.count = options.samples, .seed = options.seed};
  job.descent = {.rule = RuleKind::nesterov,
                 .eta = options.eta,
                 .mu = options.mu,
                 .limit = options.limit,
                 .threshold = options.threshold};
  job.capacity = options.rows;
  if (work.labels.defined()) {
    job.terms = [&](int64_t i) { return only(work.labels[i].item<int64_t>()); };
  }
  job.done = [&](int64_t i, const Outcome& outcome) { put_state(outcome.x, result.x, i); };
  int64_t told = 0;
  job.go_on = [&](const EngineCounts& counts) {
    work.did(counts.rows - std::exchange(told, counts.rows));
    return true;
  };
  const auto start = Clock::now();
  result.evaluated = run_sampling(work.field, job).rows;
  result.needed = result.evaluated;
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace

std::vector<WayResult> bench_engine(const LearnedField& field, const EngineBench& options,
                                    const std::function<bool(double share)>& step) {
  // At most: all ways take all steps.
  const double most = 3 * static_cast<double>(options.samples * options.limit);
  double done = 0, base = 0;
  const EngineWork work = {.field = field,
                           .options = options,
                           .labels = labels_in_turn(field.model(), options.samples),
                           .did = [&](int64_t rows) {
                             done += static_cast<double>(rows);
                             if (step && !step(std::min(1.0, (base + done) / most)))
                               throw GivenUp();
                           }};
  std::vector<WayResult> results;
  const auto next = [&](const auto& way) {
    results.push_back(way());
    base += most / 3;
    done = 0;
  };
  // Whoever comes first would pay for the label table and the allocator.
  const int64_t warm = std::min(options.rows, options.samples);
  field.gradient(
      work.starts(0, warm),
      {.labels = work.labels.defined() ? work.labels.narrow(0, 0, warm) : Tensor(), .time = {}});
  try {
    next([&] { return by_loop(work, Rows::all, "fixed steps"); });
    next([&] { return by_loop(work, Rows::masked, "masked batch"); });
    next([&] { return by_engine(work); });
  } catch (const GivenUp&) {
    return {};
  }
  return results;
}

}  // namespace eqm::bench
