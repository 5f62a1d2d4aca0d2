// What the paper proves (its appendix "Derivations", SPEC §5), checked on the ideal field, which is
// the exact minimiser of the objective for finitely many points: "perfect training" without
// training.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/backbone/mlp.h"
#include "eqm/descend/rules/rules.h"
#include "eqm/descend/sampling.h"
#include "eqm/landscape/ideal_field.h"
#include "eqm/landscape/model.h"
#include "eqm/tensor/noise_tensor.h"
#include "eqm/tensor/rows.h"
#include "tests/support/golden.h"
#include "tests/support/normal.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

// Points of image scale: uniform in [-1, 1].
Tensor images(uint64_t seed, int64_t count, int64_t d) {
  return torch::erf(normal(seed, count, d) * std::sqrt(0.5));
}

double mean_norm(const Tensor& rows) {
  return row_norms(rows.to(torch::kFloat64)).mean().item<double>();
}

// Statement 1, ‖f(x_i)‖ ≈ 0, rests on its equation (2): P(γ=1 | x_γ = x_i) → 1 as d → ∞. On the
// point itself the answer is 0 by definition, so the test looks next to it, at x_i + δ. If all
// posterior mass is at the end of the way to x_i, where c(γ) = λ (1-γ)/(1-a), then f = λ/(1-a) δ:
// the field vanishes linearly with δ. What the mass elsewhere (earlier γ, other points) adds is the
// error of the statement.
struct NearData {
  double norm;   // ‖f(x_i + δ)‖ against ‖f‖ at noise
  double error;  // ‖f(x_i + δ) - λ/(1-a) δ‖ against ‖f‖ at noise
};

NearData near_data(int64_t d, double offset, const Magnitude& magnitude, torch::ScalarType type) {
  const Tensor points = images(1, 16, d).to(type);
  const Tensor x = (points + offset * normal(2, 16, d)).to(type);
  const Tensor delta = x.to(torch::kFloat64) - points.to(torch::kFloat64);
  const IdealField field(points, magnitude);
  const Tensor f = field.gradient(x, {}).to(torch::kFloat64);
  const double at_noise = mean_norm(field.gradient(normal(3, 64, d).to(type), {}));
  return {.norm = mean_norm(f) / at_noise,
          .error = mean_norm(f - magnitude.lambda / (1 - magnitude.a) * delta) / at_noise};
}

// Rounding of float32 outputs, against the norm at noise.
constexpr double kFloat32Floor = 1e-7;

TEST(Theory, posterior_concentrates_at_data_better_as_the_dimension_grows) {
  for (const torch::ScalarType type : kPrecisions) {
    // δ = 0.1 per coordinate is not close: γ is near 0.9, and d decides how sure that is. Measured
    // errors: 0.46, 9e-3, 5e-6, then rounding.
    double before = 1.0;
    for (const int64_t d : {2, 8, 32, 128, 512}) {
      const double error = near_data(d, 0.1, {}, type).error;
      EXPECT_LT(error, std::max(0.5 * before, kFloat32Floor)) << "d " << d;
      before = error;
    }
    EXPECT_LT(near_data(2, 0.1, {}, type).error, 1.0);
    EXPECT_GT(near_data(2, 0.1, {}, type).error,
              0.1);  // in the plane the statement is not yet true
    EXPECT_LT(before, type == torch::kFloat64 ? 1e-14 : kFloat32Floor);
  }
}

TEST(Theory, gradient_vanishes_at_data_for_equilibria_and_only_for_them) {
  const Magnitude flow = {.kind = MagnitudeKind::constant, .lambda = 1};
  for (const torch::ScalarType type : kPrecisions) {
    for (const int64_t d : {8, 32, 128, 512}) {
      SCOPED_TRACE(::testing::Message() << "d " << d << " " << torch::toString(type));
      for (const double offset : {1e-2, 1e-3, 1e-4}) {
        // λ/(1-a) ‖δ‖ = 20 ‖δ‖ against about 4.6 √d at noise
        EXPECT_LT(near_data(d, offset, {}, type).norm, 5 * offset);
      }
      EXPECT_GT(near_data(d, 1e-4, flow, type).norm, 0.8);  // c(1) ≠ 0: full length up to the point
      const Tensor points = images(1, 16, d).to(type);
      const Tensor at_data = IdealField(points, {}).gradient(points, {});
      EXPECT_EQ(at_data.abs().max().item<double>(), 0);
    }
  }
}

// The share of samples that Statement 2 speaks of: stationary points are data points.
struct Endings {
  double share;     // within 1e-3 per coordinate of a data point
  int64_t reached;  // how many different points
};

Endings endings(int64_t d, const Rule& rule, const Magnitude& magnitude, torch::ScalarType type) {
  const Tensor points = images(4, 8, d).to(type);
  const DescentResult result = descend(IdealField(points, magnitude), normal(5, 48, d).to(type),
                                       {.rule = rule, .stop = {.threshold = 1e-4, .limit = 120}});
  const Tensor apart = result.x.to(torch::kFloat64).unsqueeze(1) - points.to(torch::kFloat64);
  const auto [least, which] = apart.square().mean(2).sqrt().min(1);
  return {.share = (least < 1e-3).to(torch::kFloat64).mean().item<double>(),
          .reached = std::get<0>(at::_unique(which)).numel()};
}

TEST(Theory, descent_from_noise_ends_at_data_points) {
  // Near data the field is 20 δ, so that η = 0.02 shrinks δ by 0.6 each step.
  for (const Rule& rule : {gradient_descent(0.02), nesterov_look_ahead(0.02, 0.35)}) {
    for (const torch::ScalarType type : kPrecisions) {
      double before = 0.9;  // in the plane a sample in fifty rests between points
      for (const int64_t d : {2, 8, 32, 128}) {
        const Endings end = endings(d, rule, {}, type);
        SCOPED_TRACE(::testing::Message() << "d " << d << " " << torch::toString(type));
        EXPECT_GE(end.share, before);
        if (d >= 32) {
          EXPECT_EQ(end.share, 1.0);
        }
        EXPECT_GE(end.reached, 6);  // of 8: all over the data, not one favourite
        before = end.share;
      }
    }
  }
}

TEST(Theory, descent_on_the_flow_field_does_not_settle_at_data) {
  // c(1) ≠ 0: steps of constant length cross the point again and again.
  const Magnitude flow = {.kind = MagnitudeKind::constant, .lambda = 4};
  EXPECT_LT(endings(32, gradient_descent(0.02), flow, torch::kFloat64).share, 0.1);
}

// Statement 3: for an L-smooth E and η <= 1/L,
//   E(x_{k+1}) <= E(x_k) - η/2 ‖f(x_k)‖²                     (each line of the proof)
//   min_{k<K} ‖f(x_k)‖² <= 2 (E(x_0) - E_inf) / (η K)        (the statement)
struct Path {
  std::vector<double> energies;  // E(x_k), k = 0..K
  std::vector<double> squares;   // ‖f(x_k)‖²
};

constexpr int64_t kSteps = 256;

Path walk(const Field& field, const Tensor& start, double eta,
          const std::function<double(const Tensor&)>& energy) {
  Path path;
  SamplingSpec spec;
  spec.watch = [&](int64_t, const Sight& sight) {
    Tensor x = torch::empty_like(start);
    put_state(sight.x, x, 0);
    path.energies.push_back(energy(x[0]));
    path.squares.push_back(sight.norm * sight.norm);
  };
  descend(field, start, {.rule = gradient_descent(eta), .stop = {.limit = kSteps}}, spec);
  return path;
}

void expect_convergence(const Path& path, double eta, double lowest, double slack) {
  const double first = path.energies.front();
  for (size_t k = 0; k + 1 < path.energies.size(); ++k) {
    EXPECT_LE(path.energies[k + 1],
              path.energies[k] - 0.5 * eta * path.squares[k] + slack * std::abs(first))
        << "step " << k;
  }
  double least = path.squares.front();
  for (size_t K = 1; K < path.squares.size(); ++K) {
    least = std::min(least, path.squares[K - 1]);
    if ((K & (K - 1)) != 0) continue;  // 1, 2, 4, ..., 256
    EXPECT_LE(least, 2 * (first - lowest) / (eta * static_cast<double>(K)) * (1 + slack) + slack)
        << "K " << K;
  }
}

class Quadratic final : public Field {
 public:
  explicit Quadratic(const Tensor& curvatures) : a_(curvatures) {}
  Tensor gradient(const Tensor& x, const Condition&) const override { return a_ * x; }
  double energy(const Tensor& x) const { return (0.5 * a_ * x * x).sum().item<double>(); }

 private:
  Tensor a_;
};

TEST(Theory, convergence_bound_holds_on_quadratics) {
  const Quadratic field(torch::tensor({10.0, 1.0, 0.1, 0.001}, torch::kFloat64));
  const double L = 10;
  for (const double share : {0.1, 0.5, 1.0}) {
    const Path path =
        walk(field, normal(6, 1, 4), share / L, [&](const Tensor& x) { return field.energy(x); });
    expect_convergence(path, share / L, 0.0, 1e-14);
  }
  // One coordinate and η = 1/L reaches the floor at once: the proof's line is an equality there.
  const Quadratic sharp(torch::tensor({L}, torch::kFloat64));
  const Path tight = walk(sharp, torch::ones({1, 1}, torch::kFloat64), 1 / L,
                          [&](const Tensor& x) { return sharp.energy(x); });
  EXPECT_NEAR(tight.energies[1], tight.energies[0] - 0.5 / L * tight.squares[0], 1e-15);
  // Beyond 2/L nothing of it is true.
  const Path broken =
      walk(field, normal(6, 1, 4), 2.01 / L, [&](const Tensor& x) { return field.energy(x); });
  EXPECT_GT(broken.energies.back(), broken.energies.front());
}

// The ideal field of one point at the origin is radial, f(x) = h(‖x‖) x, hence a gradient, of
// E(R) = ∫_0^R h(ρ) ρ dρ with E_inf = 0. Its Hessian has the eigenvalues h and (h ρ)'.
class RadialEnergy {
 public:
  RadialEnergy(const Field& field, int64_t d, double most) : step_(most / kCells) {
    constexpr int64_t kPlaces = 2 * static_cast<int64_t>(kCells) + 1;
    const Tensor radii = torch::arange(kPlaces, torch::kFloat64) * (0.5 * step_);
    const Tensor states = torch::zeros({kPlaces, d}, torch::kFloat64);
    states.select(1, 0).copy_(radii);
    const Tensor pull = field.gradient(states, {}).select(1, 0).contiguous();  // h ρ
    slopes_.assign(pull.data_ptr<double>(), pull.data_ptr<double>() + pull.numel());
    energies_ = {0.0};
    for (size_t i = 0; i < kCells; ++i) {
      energies_.push_back(energies_.back() + simpson(i));
      smoothness_ = std::max({smoothness_, (slopes_[2 * i + 2] - slopes_[2 * i]) / step_,
                              slopes_[2 * i + 2] / (step_ * static_cast<double>(i + 1))});
    }
  }

  // Cubic Hermite within a cell: value and slope are known at both ends.
  double operator()(const Tensor& x) const {
    const double place = x.norm().item<double>() / step_;
    const auto i = std::min(static_cast<size_t>(place), kCells - 1);
    const double t = place - static_cast<double>(i);
    const double e0 = energies_[i], e1 = energies_[i + 1];
    const double s0 = slopes_[2 * i] * step_, s1 = slopes_[2 * i + 2] * step_;
    return e0 + t * (s0 + t * (3 * (e1 - e0) - 2 * s0 - s1 + t * (s0 + s1 - 2 * (e1 - e0))));
  }

  double smoothness() const { return smoothness_; }

 private:
  static constexpr size_t kCells = 1500;

  double simpson(size_t i) const {
    return step_ / 6 * (slopes_[2 * i] + 4 * slopes_[2 * i + 1] + slopes_[2 * i + 2]);
  }

  double step_, smoothness_ = 0;
  std::vector<double> slopes_;    // h ρ at half cells
  std::vector<double> energies_;  // at cells
};

TEST(Theory, convergence_bound_holds_on_the_ideal_landscape_of_one_point) {
  const std::vector<Magnitude> equilibria = {{},
                                             {.kind = MagnitudeKind::linear},
                                             {.kind = MagnitudeKind::truncated, .a = 0.5},
                                             {.kind = MagnitudeKind::piecewise}};
  for (const int64_t d : {2, 16}) {
    const Tensor start = normal(7, 1, d);
    for (const Magnitude& magnitude : equilibria) {
      SCOPED_TRACE(::testing::Message() << "d " << d << " kind " << int(magnitude.kind));
      const IdealField field(torch::zeros({1, d}, torch::kFloat64), magnitude);
      const RadialEnergy energy(field, d, 1.01 * start.norm().item<double>());
      for (const double share : {0.2, 1.0}) {
        const double eta = share / (1.001 * energy.smoothness());
        const auto value = [&](const Tensor& x) { return energy(x); };
        expect_convergence(walk(field, start, eta, value), eta, 0.0, 1e-9);
      }
    }
  }
}

// Spectral norm of the symmetric Hessian of E at points of the plane, by differences of ∇E.
double steepest_curvature(const Field& field, double reach) {
  const Tensor line = torch::linspace(-reach, reach, 81, torch::kFloat64);
  const Tensor grid = torch::cartesian_prod({line, line});
  const double h = 1e-4;
  const auto column = [&](int64_t axis) {
    const Tensor shift = torch::zeros({1, 2}, torch::kFloat64);
    shift[0][axis] = h;
    return (field.gradient(grid + shift, {}) - field.gradient(grid - shift, {})) / (2 * h);
  };
  const Tensor hessian = torch::stack({column(0), column(1)}, 2);
  return torch::linalg_eigvalsh(0.5 * (hessian + hessian.transpose(1, 2)))
      .abs()
      .max()
      .item<double>();
}

TEST(Theory, convergence_bound_holds_on_an_explicit_energy) {
  for (const ObjectiveKind kind : {ObjectiveKind::eqm_dot, ObjectiveKind::eqm_l2}) {
    Model model = {.backbone = initialised<Mlp>(MlpConfig{.width = 16, .depth = 2, .fourier = 4}),
                   .objective = {.kind = kind, .magnitude = {}, .dispersive_weight = 0},
                   .scaling = {},
                   .output_sign = 1,
                   .class_names = {}};
    model.backbone->initialise(3);
    model.backbone->to(torch::kFloat64);
    const LearnedField field(model);
    const double reach = 8;
    // The grid is fine against the curvature's own change; 10 % cover what lies between.
    const double eta = 1 / (1.1 * steepest_curvature(field, reach));
    Tensor outermost = torch::zeros({}, torch::kFloat64);
    const auto energy = [&](const Tensor& x) {
      outermost = torch::maximum(outermost, x.abs().max());
      return field.gradient_and_energy(x.unsqueeze(0), {}).energy.item<double>();
    };
    const Path path = walk(field, torch::tensor({{1.5, -1.0}}, torch::kFloat64), eta, energy);
    ASSERT_LT(outermost.item<double>(), reach) << "the path left the region where L is known";
    // The proof needs of E_inf only E(x_K) >= E_inf.
    expect_convergence(path, eta, path.energies.back(), 1e-12);
    EXPECT_LT(path.energies.back(), path.energies.front() - 1e-3);
  }
}

}  // namespace
}  // namespace eqm::test
