#include "eqm/descend/integrators/shared_control.h"

#include <algorithm>

#include "eqm/base/error.h"
#include "eqm/descend/integrators/integrators.h"

namespace eqm {

State join(const std::vector<State>& rows) {
  const size_t size = rows.empty() ? 0 : rows.front().size();
  State joined(size * rows.size());
  auto* next = std::begin(joined);
  for (const State& row : rows) {
    if (row.size() != size)
      throw Error(ErrorKind::usage, "only rows of one size can be joined",
                  "integrate states of different shapes one by one");
    next = std::copy(std::begin(row), std::end(row), next);
  }
  return joined;
}

std::vector<State> split(const State& joined, size_t rows) {
  const size_t size = rows == 0 ? 0 : joined.size() / rows;
  if (size * rows != joined.size()) {
    throw Error(ErrorKind::usage, "a joined state does not split into this many rows",
                "give the number of rows that were joined");
  }
  std::vector<State> parts;
  for (size_t row = 0; row < rows; ++row) parts.push_back(joined[std::slice(row * size, size, 1)]);
  return parts;
}

std::vector<State> integrate_shared(const Rule& rule, const std::vector<State>& starts,
                                    const RowGradients& gradients, const NoiseSource& noise) {
  if (!rule.keeps_time) {
    throw Error(ErrorKind::usage, "only an integrator can run over a whole batch at once",
                "choose one of euler, heun, midpoint, rk4 and dopri5, or an sde");
  }
  if (starts.empty()) return {};
  const std::unique_ptr<Course> course = rule.start(join(starts), noise);
  follow(*course,
         [&](const State& x, double t) { return join(gradients(split(x, starts.size()), t)); });
  return split(course->x(), starts.size());
}

}  // namespace eqm
