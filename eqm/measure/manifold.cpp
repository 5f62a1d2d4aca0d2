#include "eqm/measure/manifold.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

constexpr int64_t kDistanceRows = 1024;           // rows of a matrix of distances in memory
constexpr int64_t kDistances = int64_t{1} << 24;  // numbers of it

// Squared distances [n, m] as |a|² + |b|² - 2 a·b: one product, and in float64 digits to spare.
Tensor squared_distances(const Tensor& a, const Tensor& b) {
  const Tensor lengths = a.square().sum(1, true) + b.square().sum(1);
  return torch::addmm(lengths, a, b.t(), 1, -2).clamp_min_(0);
}

Tensor checked(const Tensor& rows, int64_t k) {
  if (rows.dim() != 2 || rows.size(0) <= k) {
    throw Error(ErrorKind::usage,
                fmt::format("{} examples have no {}-th nearest neighbours",
                            rows.dim() == 2 ? rows.size(0) : 0, k),
                "give more examples");
  }
  const Tensor wide = rows.to(torch::kFloat64);
  if (!wide.isfinite().all().item<bool>()) {
    throw Error(ErrorKind::numeric, "a feature is not a finite number",
                "are the samples finite, and the features' weights sound?");
  }
  return wide;
}

// Some rows at a time, each of which is compared with `others`.
template <class Work>
void for_some_rows(const Tensor& rows, int64_t others, const Work& work) {
  const int64_t together = std::clamp<int64_t>(kDistances / others, 1, kDistanceRows);
  for (int64_t first = 0; first < rows.size(0); first += together) {
    work(first, rows.narrow(0, first, std::min(together, rows.size(0) - first)));
  }
}

double count(const Tensor& which) {
  return which.sum().item<double>();
}

}  // namespace

Tensor squared_radii(const Tensor& rows, int64_t k) {
  const torch::NoGradGuard guard;
  const Tensor all = checked(rows, k);
  std::vector<Tensor> radii;
  for_some_rows(all, all.size(0), [&](int64_t, const Tensor& some) {
    // A row is its own nearest neighbour.
    radii.push_back(std::get<0>(squared_distances(some, all).kthvalue(k + 1, 1)));
  });
  return torch::cat(radii);
}

ManifoldScores manifold_scores(const Tensor& real, const Tensor& samples, int64_t k) {
  const torch::NoGradGuard guard;
  const Tensor points = checked(real, k), fakes = checked(samples, k);
  if (points.size(1) != fakes.size(1)) {
    throw Error(
        ErrorKind::input,
        fmt::format("features of {} numbers beside features of {}", points.size(1), fakes.size(1)),
        "take both from the same network");
  }
  const Tensor real_radii = squared_radii(points, k), fake_radii = squared_radii(fakes, k);
  Tensor precise = torch::zeros({fakes.size(0)}, torch::kBool);
  double recalled = 0, inside = 0, covered = 0;
  for_some_rows(points, fakes.size(0), [&](int64_t first, const Tensor& some) {
    const Tensor distances = squared_distances(some, fakes);
    const Tensor radii = real_radii.narrow(0, first, some.size(0)).unsqueeze(1);
    precise.logical_or_((distances <= radii).any(0));
    recalled += count((distances <= fake_radii.unsqueeze(0)).any(1));
    const Tensor strictly = distances < radii;
    inside += count(strictly);
    covered += count(strictly.any(1));
  });
  const auto all_points = static_cast<double>(points.size(0)),
             all_fakes = static_cast<double>(fakes.size(0));
  return {.precision = count(precise) / all_fakes,
          .recall = recalled / all_points,
          .density = inside / (static_cast<double>(k) * all_fakes),
          .coverage = covered / all_points};
}

}  // namespace eqm
