#include "eqm/descend/descent.h"

#include <cmath>

#include "eqm/base/error.h"
#include "eqm/tensor/rows.h"

namespace eqm {
namespace {

Tensor evaluate(const Field& field, const Tensor& x, const DescentRequest& request,
                const Tensor& rows, int64_t step) {
  Condition condition = request.condition.rows(rows);
  if (request.clock) {
    condition.time = torch::full({x.size(0)}, request.clock(step), x.options());
  }
  if (request.terms) {
    return weighted_gradient(field, x, request.terms->rows(rows), condition.time);
  }
  return field.gradient(x, condition);
}

}  // namespace

const char* name_of(DescentStatus status) {
  switch (status) {
    case DescentStatus::converged:
      return "converged";
    case DescentStatus::limit:
      return "limit";
    case DescentStatus::diverged:
      return "diverged";
  }
  return "unknown";
}

DescentResult descend(const Field& field, const Rule& rule, const DescentRequest& request) {
  if (request.stop.limit < 0 || !(request.stop.threshold >= 0)) {
    throw Error(ErrorKind::usage, "a descent needs a step limit and a threshold of at least 0");
  }
  const torch::NoGradGuard guard;
  const int64_t batch = request.start.size(0);
  DescentResult result = {.x = request.start.clone(),
                          .samples = std::vector<SampleRecord>(static_cast<size_t>(batch))};
  Tensor rows = torch::arange(batch, torch::TensorOptions(torch::kInt64).device(result.x.device()));
  DescentState state = rule.start(request.start);

  for (int64_t step = 0; rows.size(0) > 0; ++step) {
    const Tensor gradient = evaluate(field, rule.probe(state), request, rows, step);
    const Tensor norms = row_norms(gradient);
    if (request.observe) request.observe(step, rows, state.x, norms);

    // Settle who stops here; the others move on.
    const Tensor norm_values = norms.to(torch::kFloat64).cpu();
    const Tensor finite = state.x.flatten(1).isfinite().all(1);
    const Tensor finite_values = finite.cpu();
    const Tensor row_values = rows.cpu();
    std::vector<int64_t> going;
    for (int64_t i = 0; i < rows.size(0); ++i) {
      const double norm = norm_values.data_ptr<double>()[i];
      SampleRecord& sample = result.samples[static_cast<size_t>(row_values.data_ptr<int64_t>()[i])];
      sample.steps = step;
      sample.norm = norm;
      if (!std::isfinite(norm) || !finite_values.data_ptr<bool>()[i]) {
        sample.status = DescentStatus::diverged;
      } else if (!request.clock && norm <= request.stop.threshold) {
        sample.status = DescentStatus::converged;
      } else if (step >= request.stop.limit) {
        sample.status = DescentStatus::limit;
      } else {
        going.push_back(i);
      }
    }
    // A finished row's state is final; a row that diverges later keeps the last state written here.
    result.x.index_copy_(
        0, rows, torch::where(per_row(finite, state.x), state.x, result.x.index_select(0, rows)));
    Tensor moving = gradient;
    if (static_cast<int64_t>(going.size()) < rows.size(0)) {
      const Tensor keep = torch::tensor(going, rows.options());
      rows = rows.index_select(0, keep);
      state = state.rows(keep);
      moving = gradient.index_select(0, keep);
    }
    if (rows.size(0) > 0) rule.step(state, moving);
  }
  return result;
}

}  // namespace eqm
