#include "eqm/descend/energy_path.h"

#include <algorithm>
#include <cmath>

#include "eqm/base/error.h"

namespace eqm {
namespace {

std::vector<Answer> answers_along(const Field& field, const Shape& shape,
                                  const torch::TensorOptions& type, const std::vector<State>& path,
                                  const std::vector<Terms>& terms) {
  std::vector<Question> questions;
  for (size_t i = 0; i < path.size(); ++i) {
    questions.push_back({.x = path[i], .time = 0, .terms = &terms[i]});
  }
  return evaluate(field, shape, type, questions);
}

// The part of a gradient at an inner point that leads away from the path.
State across_path(const State& gradient, const std::vector<State>& path, size_t i) {
  const State along = path[i + 1] - path[i - 1];
  const double length = dot(along, along);
  if (length == 0) return gradient;
  return gradient - (dot(gradient, along) / length) * along;
}

double path_length(const std::vector<State>& path) {
  double length = 0;
  for (size_t i = 1; i < path.size(); ++i) length += norm(path[i] - path[i - 1]);
  return length;
}

void check_path(const std::vector<State>& path, const std::vector<Terms>& terms) {
  if (path.size() < 3 || terms.size() != path.size()) {
    throw Error(ErrorKind::usage, "a path needs three points at least, and terms for each",
                "give more points between the ends");
  }
}

}  // namespace

std::vector<State> straight_path(const State& from, const State& to, size_t count) {
  std::vector<State> path;
  for (size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(std::max<size_t>(1, count - 1));
    path.push_back((1 - t) * from + t * to);
  }
  return path;
}

std::vector<State> spread_evenly(const std::vector<State>& path, size_t count) {
  const double whole = path_length(path);
  std::vector<State> even = {path.front()};
  size_t piece = 1;
  double before = 0;  // the length of all pieces before
  for (size_t i = 1; i + 1 < count; ++i) {
    const double at = whole * static_cast<double>(i) / static_cast<double>(count - 1);
    double length = norm(path[piece] - path[piece - 1]);
    while (before + length < at && piece + 1 < path.size()) {
      before += length;
      ++piece;
      length = norm(path[piece] - path[piece - 1]);
    }
    const double share = length > 0 ? std::clamp((at - before) / length, 0.0, 1.0) : 0;
    even.push_back((1 - share) * path[piece - 1] + share * path[piece]);
  }
  even.push_back(path.back());
  return even;
}

State slerp(const State& from, const State& to, double t) {
  const double one = norm(from), other = norm(to);
  constexpr double kParallel = 1e-6;
  const double cosine =
      one > 0 && other > 0 ? std::clamp(dot(from, to) / (one * other), -1.0, 1.0) : 1;
  const double angle = std::acos(cosine), sine = std::sin(angle);
  if (sine < kParallel) return (1 - t) * from + t * to;
  const State direction = (std::sin((1 - t) * angle) / (sine * one)) * from +
                          (std::sin(t * angle) / (sine * other)) * to;
  return ((1 - t) * one + t * other) * direction;
}

EnergyPath minimum_energy_path(const Field& field, const Shape& shape,
                               const torch::TensorOptions& type, std::vector<State> path,
                               const std::vector<Terms>& terms, const EnergyPathOptions& options) {
  check_path(path, terms);
  EnergyPath result;
  while (result.steps < options.steps && !result.rests) {
    if (options.go_on && !options.go_on(result.steps)) break;
    const std::vector<Answer> answers = answers_along(field, shape, type, path, terms);
    std::vector<State> moved = path;
    for (size_t i = 1; i + 1 < path.size(); ++i) {
      moved[i] -= options.eta * across_path(answers[i].gradient, path, i);
      if (is_finite(moved[i])) continue;
      throw Error(ErrorKind::numeric, "the path left the numbers that can be computed with",
                  "take smaller steps ({eta})");
    }
    moved = spread_evenly(moved, path.size());
    const double apart = path_length(moved) / static_cast<double>(path.size() - 1);
    double most = 0;
    for (size_t i = 0; i < path.size(); ++i) most = std::max(most, norm(moved[i] - path[i]));
    result.rests = most <= options.rest * apart;
    path = std::move(moved);
    ++result.steps;
  }
  const std::vector<Answer> answers = answers_along(field, shape, type, path, terms);
  for (size_t i = 0; i < path.size(); ++i) {
    const bool inner = i > 0 && i + 1 < path.size();
    result.energies.push_back(answers[i].energy);
    result.norms.push_back(norm(answers[i].gradient));
    result.across.push_back(inner ? norm(across_path(answers[i].gradient, path, i)) : 0);
  }
  result.points = std::move(path);
  return result;
}

}  // namespace eqm
