#include "eqm/measure/inception_score.h"

#include <algorithm>

#include "eqm/base/error.h"

namespace eqm {

double inception_score(const Tensor& probabilities, int64_t part) {
  const torch::NoGradGuard guard;
  const int64_t count = probabilities.dim() == 2 ? probabilities.size(0) : 0;
  if (count == 0 || part < 1) {
    throw Error(ErrorKind::usage, "there are no predictions to score", "give pictures");
  }
  const Tensor all = probabilities.to(torch::kFloat64);
  double sum = 0, parts = 0;
  for (int64_t first = 0; first < count; first += part, ++parts) {
    const Tensor rows = all.narrow(0, first, std::min(part, count - first));
    const Tensor divergence = torch::xlogy(rows, rows) - torch::xlogy(rows, rows.mean(0));
    sum += divergence.sum(1).mean().exp().item<double>();
  }
  return sum / parts;
}

}  // namespace eqm
