#include "eqm/descend/descent.h"

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm {

State state_of(const Tensor& batch, int64_t row) {
  const Tensor values = batch[row].to(torch::kCPU, torch::kFloat64).contiguous();
  return State(values.data_ptr<double>(), static_cast<size_t>(values.numel()));
}

void put_state(const State& state, Tensor& batch, int64_t row) {
  const Tensor values = torch::empty(batch[row].sizes(), torch::kFloat64);
  std::copy(std::begin(state), std::end(state), values.data_ptr<double>());
  batch[row].copy_(values);
}

DescentResult descend(const Field& field, const Rule& rule, const DescentRequest& request) {
  const int64_t rows = request.start.size(0);
  const bool misfit =
      (request.labels.defined() && request.labels.size(0) != rows) ||
      (!request.terms.empty() && static_cast<int64_t>(request.terms.size()) != rows);
  if (misfit) {
    throw Error(ErrorKind::usage, "labels or terms do not fit the number of starts",
                fmt::format("{} are needed", rows));
  }
  DescentResult result = {.x = request.start.detach().clone(),
                          .samples = std::vector<SampleRecord>(static_cast<size_t>(rows)),
                          .counts = {}};
  const Shape shape(request.start.sizes().begin() + 1, request.start.sizes().end());
  Engine engine(field, shape, request.start.options(), request.capacity);
  int64_t next = 0;
  engine.run([&]() -> std::optional<Request> {
    if (next == rows) return std::nullopt;
    const int64_t row = next++;
    Request sample = {.start = state_of(request.start, row),
                      .terms = {},
                      .rule = rule,
                      .stop = request.stop,
                      .noise = {.seed = request.seed,
                                .sample = static_cast<uint64_t>(request.first_sample + row)},
                      .clock = request.clock};
    if (!request.terms.empty()) {
      sample.terms = request.terms[static_cast<size_t>(row)];
    } else if (request.labels.defined()) {
      sample.terms = only(request.labels[row].item<int64_t>());
    }
    if (request.watch) {
      sample.watch = [&request, row](const Sight& sight) { request.watch(row, sight); };
    }
    sample.done = [&result, row](const Outcome& outcome) {
      put_state(outcome.x, result.x, row);
      result.samples[static_cast<size_t>(row)] = outcome.record;
    };
    return sample;
  });
  result.counts = engine.counts();
  return result;
}

}  // namespace eqm
