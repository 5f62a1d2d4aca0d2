#include "eqm/descend/engine.h"

#include <algorithm>
#include <numeric>

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

// Terms that one request may have where the capacity is smaller: it then runs by itself.
constexpr int64_t kMostTerms = 64;

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
  request.stop.validate();
  check_terms(field_, request.terms);
  const auto terms = static_cast<int64_t>(request.terms.list.size());
  if (terms > std::max(kMostTerms, options_.capacity)) {
    throw Error(ErrorKind::usage,
                fmt::format("a sample of {} terms does not fit a batch of {} rows", terms,
                            options_.capacity),
                "sum fewer labels, or raise the rows computed at once ({rows})");
  }
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

}  // namespace eqm
