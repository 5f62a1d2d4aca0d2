#include "eqm/measure/frechet.h"

#include <fmt/format.h>
#include <torch/linalg.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

// The root of a symmetric matrix without its negative eigenvalues, which are rounding.
Tensor root_of(const Tensor& symmetric) {
  const auto [values, vectors] = torch::linalg::eigh(symmetric, "L");
  return torch::matmul(vectors * values.clamp_min(0).sqrt(), vectors.t());
}

}  // namespace

Moments::Moments(int64_t count, Tensor mean, const Tensor& covariance)
    : count_(count),
      mean_(std::move(mean)),
      scatter_(covariance * static_cast<double>(count - 1)) {}

void Moments::add(const Tensor& rows) {
  const torch::NoGradGuard guard;
  if (rows.size(0) == 0) return;
  const Tensor wide = rows.detach().to(torch::kFloat64).cpu();
  if (!wide.isfinite().all().item<bool>()) {
    throw Error(ErrorKind::numeric, "a feature is not a finite number",
                "are the samples finite, and the features' weights sound?");
  }
  if (count_ == 0) {
    mean_ = torch::zeros({wide.size(1)}, torch::kFloat64);
    scatter_ = torch::zeros({wide.size(1), wide.size(1)}, torch::kFloat64);
  }
  if (wide.size(1) != mean_.size(0)) {
    throw Error(
        ErrorKind::input,
        fmt::format("features of {} numbers beside features of {}", wide.size(1), mean_.size(0)),
        "take both from the same network");
  }
  // Each batch about its own mean, then the two sets merged: no large sums cancel.
  const auto before = static_cast<double>(count_), added = static_cast<double>(wide.size(0));
  const Tensor mean = wide.mean(0);
  const Tensor centred = wide - mean;
  const Tensor apart = mean - mean_;
  scatter_ = scatter_ + torch::matmul(centred.t(), centred) +
             torch::outer(apart, apart) * (before * added / (before + added));
  mean_ = mean_ + apart * (added / (before + added));
  count_ += wide.size(0);
}

Tensor Moments::covariance() const {
  if (count_ < 2) {
    throw Error(ErrorKind::usage, "a spread needs two examples or more", "give more examples");
  }
  return scatter_ / static_cast<double>(count_ - 1);
}

FrechetTarget::FrechetTarget(Moments moments) : moments_(std::move(moments)) {
  const torch::NoGradGuard guard;
  root_ = root_of(moments_.covariance());
}

double FrechetTarget::distance(const Moments& other) const {
  const torch::NoGradGuard guard;
  const Tensor own = moments_.covariance(), theirs = other.covariance();
  if (own.sizes() != theirs.sizes()) {
    throw Error(
        ErrorKind::input,
        fmt::format("features of {} numbers beside features of {}", own.size(0), theirs.size(0)),
        "take both from the same network");
  }
  const Tensor product = torch::matmul(torch::matmul(root_, theirs), root_);
  const Tensor shared = torch::linalg::eigvalsh((product + product.t()) / 2, "L");
  return ((moments_.mean() - other.mean()).square().sum() + own.trace() + theirs.trace() -
          2 * shared.clamp_min(0).sqrt().sum())
      .item<double>();
}

double frechet_distance(const Moments& a, const Moments& b) {
  return FrechetTarget(a).distance(b);
}

}  // namespace eqm
