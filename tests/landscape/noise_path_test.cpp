#include "eqm/landscape/noise_path.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace eqm::test {
namespace {

using Vector = NoisePath::Vector;

constexpr double kTolerance = 1e-11;  // relative: both sides are double

const Names<PathKind> kReferencePaths = {
    {"Linear", PathKind::linear}, {"GVP", PathKind::gvp}, {"VP", PathKind::vp}};
const Names<DiffusionForm> kReferenceForms = {
    {"constant", DiffusionForm::constant},
    {"SBDM", DiffusionForm::sbdm},
    {"sigma", DiffusionForm::sigma},
    {"linear", DiffusionForm::linear},
    {"decreasing", DiffusionForm::decreasing},
    {"inccreasing-decreasing", DiffusionForm::increasing_decreasing}};  // spelt so over there

NoisePath path_of(const GoldenCase& golden, PathKind kind) {
  const nlohmann::json rates = golden.meta_json("VP");
  return {.kind = kind, .beta_min = rates.at("sigma_min"), .beta_max = rates.at("sigma_max")};
}

Vector row(const Tensor& rows, int64_t index) {
  const Tensor wide = rows[index].to(torch::kFloat64).contiguous();
  return Vector(wide.data_ptr<double>(), static_cast<size_t>(wide.numel()));
}

// One number or one vector per time, in the shape of what is expected.
using ByRow = std::function<Vector(int64_t row, double t)>;

void expect_rows(const Tensor& expected, const Tensor& times, const ByRow& compute) {
  Tensor actual = torch::empty_like(expected).flatten(1);
  ASSERT_EQ(times.size(0), expected.size(0));
  for (int64_t i = 0; i < times.size(0); ++i) {
    Vector computed = compute(i, times[i].item<double>());
    actual[i].copy_(
        torch::from_blob(&computed[0], {static_cast<int64_t>(computed.size())}, torch::kFloat64));
  }
  EXPECT_TRUE(close(actual.view_as(expected), expected, kTolerance));
}

void expect_numbers(const Tensor& expected, const Tensor& times,
                    const std::function<double(double t)>& compute) {
  expect_rows(expected.reshape({-1, 1}), times,
              [&](int64_t, double t) { return Vector(compute(t), 1); });
}

TEST(GoldenPaths, coefficients_match_the_reference) {
  for (const GoldenCase& golden : golden_cases("paths")) {
    const Tensor t = golden.input("t", torch::kFloat64);
    for (const auto& [name, kind] : kReferencePaths) {
      SCOPED_TRACE(golden.name() + " " + name);
      const NoisePath path = path_of(golden, kind);
      const auto expected = [&](const char* what) { return golden.expected(name + "." + what); };
      expect_numbers(expected("alpha"), t, [&](double at) { return path.alpha(at); });
      expect_numbers(expected("d_alpha"), t, [&](double at) { return path.d_alpha(at); });
      expect_numbers(expected("sigma"), t, [&](double at) { return path.sigma(at); });
      expect_numbers(expected("d_sigma"), t, [&](double at) { return path.d_sigma(at); });
      expect_numbers(expected("d_alpha_over_alpha"), t,
                     [&](double at) { return path.d_log_alpha(at); });
      expect_numbers(expected("drift_var"), t, [&](double at) { return path.drift_variance(at); });
    }
  }
}

TEST(GoldenPaths, every_stored_diffusion_matches_the_reference) {
  for (const GoldenCase& golden : golden_cases("paths")) {
    const Tensor t = golden.input("t", torch::kFloat64);
    for (const auto& [name, kind] : kReferencePaths) {
      const NoisePath path = path_of(golden, kind);
      const std::string prefix = name + ".diffusion_", suffix = ".f64", norm_mark = "_norm";
      int compared = 0;
      for (const std::string& tensor : golden.file().names()) {
        if (!tensor.starts_with(prefix) || !tensor.ends_with(suffix)) continue;
        SCOPED_TRACE(tensor);
        std::string form = tensor.substr(prefix.size());
        form.resize(form.size() - suffix.size());
        const size_t mark = form.find(norm_mark);
        const double norm =
            mark == std::string::npos ? 1 : std::stod(form.substr(mark + norm_mark.size()));
        const auto known = find_named(kReferenceForms, form.substr(0, mark));
        ASSERT_TRUE(known);
        expect_numbers(golden.expected(tensor), t,
                       [&](double at) { return path.diffusion(*known, norm, at); });
        ++compared;
      }
      EXPECT_GT(compared, 0) << name;
    }
  }
}

TEST(GoldenPaths, states_and_conversions_match_the_reference) {
  for (const GoldenCase& golden : golden_cases("paths")) {
    const Tensor t = golden.input("t", torch::kFloat64), v = golden.input("v", torch::kFloat64);
    const Tensor noise = golden.input("x0", torch::kFloat64);
    const Tensor data = golden.input("x1", torch::kFloat64);
    for (const auto& [name, kind] : kReferencePaths) {
      SCOPED_TRACE(golden.name() + " " + name);
      const NoisePath path = path_of(golden, kind);
      const auto expected = [&](const char* what) { return golden.expected(name + "." + what); };
      const Tensor x = expected("xt");
      expect_rows(x, t, [&](int64_t i, double at) {
        return path.between(row(data, i), row(noise, i), at);
      });
      expect_rows(expected("ut"), t, [&](int64_t i, double at) {
        return path.velocity(row(data, i), row(noise, i), at);
      });
      expect_rows(expected("drift_mean"), t,
                  [&](int64_t i, double at) { return path.drift_mean(row(x, i), at); });
      expect_rows(expected("score_from_v"), t, [&](int64_t i, double at) {
        return path.score_from_velocity(row(v, i), row(x, i), at);
      });
      expect_rows(expected("noise_from_v"), t, [&](int64_t i, double at) {
        return path.noise_from_velocity(row(v, i), row(x, i), at);
      });
      // There the numbers of v stand in for a score.
      expect_rows(expected("v_from_score"), t, [&](int64_t i, double at) {
        return path.velocity_from_score(row(v, i), row(x, i), at);
      });
    }
  }
}

TEST(NoisePath, goes_from_noise_to_data) {
  const Vector data = {2, -3}, noise = {0.5, 1};
  for (const auto& [name, kind] : path_names()) {
    const NoisePath path = {.kind = kind};
    // The vp path begins with a little of the data in the noise: exp(-5.025).
    const double leak = kind == PathKind::vp ? 0.0066 : 1e-15;
    EXPECT_LE(std::abs(path.between(data, noise, 0) - noise).max(), 3 * leak) << name;
    EXPECT_LE(std::abs(path.between(data, noise, 1) - data).max(), 1e-15) << name;
  }
}

TEST(NoisePath, derivatives_are_those_of_differences) {
  constexpr double kStep = 1e-6;
  for (const auto& [name, kind] : path_names()) {
    const NoisePath path = {.kind = kind};
    for (const double t : {0.1, 0.45, 0.9}) {
      const auto slope = [&](double (NoisePath::*f)(double) const) {
        return ((path.*f)(t + kStep) - (path.*f)(t - kStep)) / (2 * kStep);
      };
      EXPECT_NEAR(path.d_alpha(t), slope(&NoisePath::alpha), 1e-7) << name << " " << t;
      EXPECT_NEAR(path.d_sigma(t), slope(&NoisePath::sigma), 1e-7) << name << " " << t;
      EXPECT_NEAR(path.d_log_alpha(t), path.d_alpha(t) / path.alpha(t), 1e-12) << name << " " << t;
    }
  }
}

TEST(NoisePath, a_known_pair_of_data_and_noise_is_found_from_its_velocity) {
  const Vector data = {0.3, -1.2, 4}, noise = {-0.7, 0.1, 1.9};
  for (const auto& [name, kind] : path_names()) {
    const NoisePath path = {.kind = kind};
    for (const double t : {0.05, 0.5, 0.9}) {
      const Vector x = path.between(data, noise, t), v = path.velocity(data, noise, t);
      EXPECT_LE(std::abs(path.noise_from_velocity(v, x, t) - noise).max(), 1e-12) << name;
      const Vector score = path.score_from_velocity(v, x, t);
      EXPECT_LE(std::abs(score + noise / path.sigma(t)).max(), 1e-11) << name;
      EXPECT_LE(std::abs(path.velocity_from_score(score, x, t) - v).max(), 1e-11) << name;
    }
  }
}

TEST(NoisePath, has_a_score_at_noise_and_a_noise_rate_at_data) {
  // The score at noise, where α/α' = 0; the noise rate of vp at data, where σ' is infinite.
  const Vector x = {0.5}, v = {2};
  EXPECT_NEAR(NoisePath{}.score_from_velocity(v, x, 0)[0], -0.5, 1e-15);
  const NoisePath vp = {.kind = PathKind::vp};
  EXPECT_TRUE(std::isinf(vp.d_sigma(1)));
  EXPECT_NEAR(vp.drift_variance(1), 0.05, 1e-15);
}

TEST(NoisePath, refuses_noise_rates_that_make_no_path) {
  for (const auto& [least, most] : {std::pair{0.0, 20.0},
                                    {-1.0, 20.0},
                                    {5.0, 1.0},
                                    {0.1, std::numeric_limits<double>::infinity()}}) {
    const NoisePath path = {.kind = PathKind::vp, .beta_min = least, .beta_max = most};
    expect_error(ErrorKind::usage, "noise rates", [&] { path.validate(); });
  }
  EXPECT_NO_THROW((NoisePath{.kind = PathKind::vp}.validate()));
}

}  // namespace
}  // namespace eqm::test
