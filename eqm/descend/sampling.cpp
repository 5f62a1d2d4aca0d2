#include "eqm/descend/sampling.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "eqm/base/draws.h"
#include "eqm/base/error.h"

namespace eqm {
namespace {

constexpr int64_t kMostWaiting = 16;  // finished samples for an earlier one, in capacities

// Hands outcomes on in the order of their numbers.
class InOrder {
 public:
  explicit InOrder(const std::function<void(int64_t, Outcome)>& done) : done_(done) {}

  void add(int64_t sample, Outcome outcome) {
    waiting_.emplace(sample, std::move(outcome));
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_;
         first = waiting_.erase(first), ++next_) {
      done_(next_, std::move(first->second));
    }
  }

  int64_t waiting() const { return static_cast<int64_t>(waiting_.size()); }

 private:
  const std::function<void(int64_t, Outcome)>& done_;
  std::map<int64_t, Outcome> waiting_;
  int64_t next_ = 0;
};

size_t state_size(const Model& model) {
  size_t size = 1;
  for (const int64_t extent : model.backbone->state_shape()) size *= static_cast<size_t>(extent);
  return size;
}

}  // namespace

State starting_noise(const Model& model, uint64_t seed, int64_t sample) {
  State noise(state_size(model));
  const NoiseKey key = {.seed = seed, .sample = static_cast<uint64_t>(sample), .draw = draw_start};
  // As the model's own precision has it, so that it is the same start whoever asks.
  if (options_of(*model.backbone).dtype() == torch::kFloat64) {
    fill_normal(key, std::span<double>(&noise[0], noise.size()));
    return noise;
  }
  std::vector<float> narrow(noise.size());
  fill_normal(key, std::span<float>(narrow));
  std::copy(narrow.begin(), narrow.end(), std::begin(noise));
  return noise;
}

EngineCounts run_sampling(const LearnedField& field, const SamplingJob& job) {
  const Model& model = field.model();
  const DescentOptions descent = job.descent.resolved(model.objective);
  const Rule rule = make_rule(descent, model.objective);
  Engine engine(field, model.backbone->state_shape(), options_of(*model.backbone), job.capacity);
  InOrder ordered(job.done);
  int64_t next = 0;
  const auto supply = [&]() -> std::optional<Request> {
    if (next == job.count) return std::nullopt;
    // One that takes long holds up all that come after it; then the batch runs empty rather than
    // that memory fills up.
    if (job.in_order && ordered.waiting() >= kMostWaiting * engine.capacity()) return std::nullopt;
    const int64_t sample = next++;
    const int64_t number = job.first_sample + sample;
    Request request = {
        .start = job.start ? job.start(sample) : starting_noise(model, job.seed, number),
        .terms = job.terms ? job.terms(sample) : Terms(),
        .rule = rule,
        .stop = descent.stop(),
        .noise = {.seed = job.seed, .sample = static_cast<uint64_t>(number)}};
    if (job.watch) {
      request.watch = [&job, sample](const Sight& sight) { job.watch(sample, sight); };
    }
    if (job.done) {
      request.done = [&, sample](Outcome outcome) {
        if (job.in_order) {
          ordered.add(sample, std::move(outcome));
        } else {
          job.done(sample, std::move(outcome));
        }
      };
    }
    return request;
  };
  engine.run(supply, [&] {
    if (job.go_on && !job.go_on(engine.counts())) engine.cancel_all();
  });
  return engine.counts();
}

DescentResult sample(const LearnedField& field, const SamplingRequest& request) {
  if (request.labels.defined() && request.labels.size(0) != request.count) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} labels do not fit {} samples", request.labels.size(0), request.count),
        "give one label to each sample");
  }
  if (request.guidance != 1 && (!request.labels.defined() || field.null_label() < 0)) {
    throw Error(ErrorKind::usage, "guidance needs labels and a model trained with label dropout",
                "give {labels}, or leave guidance at 1");
  }
  Shape shape = field.model().backbone->state_shape();
  shape.insert(shape.begin(), request.count);
  DescentResult result = {.x = torch::zeros(shape, options_of(*field.model().backbone)),
                          .samples = std::vector<SampleRecord>(static_cast<size_t>(request.count)),
                          .counts = {}};
  SamplingJob job = {.count = request.count,
                     .seed = request.seed,
                     .first_sample = request.first_sample,
                     .descent = request.descent,
                     .in_order = false,
                     .watch = request.watch,
                     .go_on = request.go_on};
  if (request.labels.defined()) {
    job.terms = [&](int64_t i) {
      const auto label = request.labels[i].item<int64_t>();
      return request.guidance == 1 ? only(label) : guidance(label, request.guidance);
    };
  }
  job.done = [&](int64_t i, const Outcome& outcome) {
    put_state(outcome.x, result.x, i);
    result.samples[static_cast<size_t>(i)] = outcome.record;
  };
  result.counts = run_sampling(field, job);
  return result;
}

}  // namespace eqm
