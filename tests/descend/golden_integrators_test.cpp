// Parity of the integrators with the reference: fixed grids, dopri5 with the step size shared by a
// batch, plain ODEs given by a formula, and the SDE samplers.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/descend/integrators/integrators.h"
#include "eqm/descend/integrators/shared_control.h"
#include "tests/support/golden.h"

namespace eqm::test {
namespace {

constexpr double kFixedTolerance = 1e-5;     // float32 against float64
constexpr double kAdaptiveTolerance = 1e-3;  // the same, where it also moves the steps
constexpr double kDoubleTolerance = 1e-9;    // of an adaptive run in double
// The error of the short first step is near the rounding of double; the size of the second, and
// five times that its error, inherit it. Measured: 3e-9.
constexpr double kRatioTolerance = 1e-8;
constexpr int64_t kEvaluationsOfAnAttempt = 6;

const Names<RungeKutta> kReferenceMethods = {{"euler", RungeKutta::euler},
                                             {"midpoint", RungeKutta::midpoint},
                                             {"heun2", RungeKutta::heun},
                                             {"heun3", RungeKutta::heun3},
                                             {"rk4", RungeKutta::rk4}};

Tensor tensor_of(const State& x, at::IntArrayRef shape) {
  return torch::tensor(at::ArrayRef<double>(std::begin(x), x.size()), torch::kFloat64).view(shape);
}

State flat_state(const Tensor& x) {
  const Tensor wide = x.to(torch::kFloat64).contiguous();
  return State(wide.data_ptr<double>(), static_cast<size_t>(wide.numel()));
}

// A golden model's gradients for the joined state of its batch.
class GoldenFlow {
 public:
  GoldenFlow(const GoldenCase& golden, ObjectiveKind kind, torch::ScalarType type)
      : field_(golden.model(kind, type)),
        labels_(golden.integers("y")),
        start_(golden.input("z", type)) {}

  // The reference's guidance: a doubled batch, whose halves differ in the channels from the fourth.
  void guide(double scale) { scale_ = scale; }

  State start() const { return flat_state(scale_ ? torch::cat({start_, start_}) : start_); }

  State operator()(const State& joined, double t) const {
    const Tensor x = samples(joined).to(start_.scalar_type());
    const Tensor with_label = gradient(x, labels_, t);
    if (!scale_) return flat_state(with_label);
    const Tensor with_none = gradient(x, torch::full_like(labels_, field_.null_label()), t);
    const Tensor guided = with_none + *scale_ * (with_label - with_none);
    const auto half = [&](const Tensor& rest) {
      return torch::cat({guided.narrow(1, 0, 3), rest.narrow(1, 3, rest.size(1) - 3)}, 1);
    };
    return flat_state(torch::cat({half(with_label), half(with_none)}));
  }

  // The states of the batch; the first half of a doubled one.
  Tensor samples(const State& joined) const {
    std::vector<int64_t> shape = start_.sizes().vec();
    if (scale_) shape[0] *= 2;
    return tensor_of(joined, shape).narrow(0, 0, start_.size(0));
  }

 private:
  Tensor gradient(const Tensor& x, const Tensor& labels, double t) const {
    return field_.gradient(x, {.labels = labels, .time = torch::full({x.size(0)}, t, x.options())});
  }

  LearnedField field_;
  Tensor labels_, start_;
  std::optional<double> scale_;
};

ObjectiveKind objective_of(const nlohmann::json& run, bool unconditional) {
  if (run.value("ebm", "none") == "dot") return ObjectiveKind::eqm_dot;
  return unconditional ? ObjectiveKind::fm_unconditional : ObjectiveKind::fm;
}

// What a course did: its states at the points asked for, and every question's time.
struct Trace {
  std::vector<State> points;
  std::vector<double> times;
  std::vector<double> error_ratios;

  int64_t rejected() const {
    return std::count_if(error_ratios.begin(), error_ratios.end(), [](double r) { return r > 1; });
  }
};

using Gradient = std::function<State(const State& x, double t)>;

Gradient timed(const Gradient& gradient, Trace& trace) {
  return [&gradient, &trace](const State& x, double t) {
    trace.times.push_back(t);
    return gradient(x, t);
  };
}

// The start and the state after each step.
Trace trace_steps(Course& course, const Gradient& gradient) {
  Trace trace = {.points = {course.x()}, .times = {}, .error_ratios = {}};
  follow(course, timed(gradient, trace), [&](Move move) {
    if (move != Move::stage) trace.points.push_back(course.x());
  });
  return trace;
}

// The states at `points` even times from t0 to t1.
Trace trace_dopri5(const State& start, const Dopri5& numbers, int64_t points,
                   const Gradient& gradient) {
  const std::unique_ptr<Dopri5Course> course = dopri5_course(start, numbers);
  Trace trace = {.points = {start}, .times = {}, .error_ratios = {}};
  const auto point = [&](size_t i) {
    const double part = static_cast<double>(i) / static_cast<double>(points - 1);
    return numbers.t0 + part * (numbers.t1 - numbers.t0);
  };
  follow(*course, timed(gradient, trace), [&](Move move) {
    if (course->attempts() > static_cast<int64_t>(trace.error_ratios.size())) {
      trace.error_ratios.push_back(course->error_ratio());
    }
    if (move == Move::stage) return;
    while (std::ssize(trace.points) < points && point(trace.points.size()) <= course->reached()) {
      trace.points.push_back(course->at(point(trace.points.size())));
    }
  });
  EXPECT_TRUE(std::ranges::equal(trace.points.back(), course->x()));
  return trace;
}

Tensor as_tensor(const std::vector<double>& numbers) {
  return torch::tensor(numbers, torch::kFloat64);
}

// Iterates that are stored in float32 only cannot be met more closely than that.
double limit_for(const GoldenCase& golden, const std::string& tensor, double limit) {
  return golden.has(tensor + ".f64") ? limit : std::max(limit, kFixedTolerance);
}

void expect_points(const GoldenCase& golden, const std::string& name, const nlohmann::json& run,
                   const GoldenFlow& flow, const Trace& trace, double limit) {
  ASSERT_EQ(std::ssize(trace.points), run.at("num_steps").get<int64_t>());
  const Tensor stored = golden.expected(name + ".x");
  for (int64_t i = 0; i < stored.size(0); ++i) {
    const size_t point = run.contains("stored_points")
                             ? run.at("stored_points").at(static_cast<size_t>(i)).get<size_t>()
                             : static_cast<size_t>(i);
    EXPECT_TRUE(close(flow.samples(trace.points.at(point)), stored[i],
                      limit_for(golden, name + ".x", limit)))
        << "point " << point;
  }
  if (!golden.has(name + ".x_final.f64")) return;
  EXPECT_TRUE(close(flow.samples(trace.points.back()), golden.expected(name + ".x_final"), limit));
}

void expect_times(const GoldenCase& golden, const std::string& name, const Trace& trace,
                  double limit) {
  if (!golden.has(name + ".eval_t")) return;
  EXPECT_TRUE(close_absolute(as_tensor(trace.times), golden.expected(name + ".eval_t"), limit));
}

void run_fixed_grid(const GoldenCase& golden, const std::string& name, const nlohmann::json& run,
                    RungeKutta method, const GoldenFlow& flow, torch::ScalarType type) {
  const int64_t steps = run.at("num_steps").get<int64_t>() - 1;
  const double end = 1 - run.value("sample_eps", 0.0);
  const auto course = runge_kutta(method, steps, 0, end).start(flow.start(), {});
  const Trace trace = trace_steps(*course, flow);
  expect_points(golden, name, run, flow, trace, tolerance(type, kFixedTolerance));
  EXPECT_EQ(std::ssize(trace.times), run.at("nfe").get<int64_t>());
  expect_times(golden, name, trace, 1e-12);
}

void run_dopri5(const GoldenCase& golden, const std::string& name, const nlohmann::json& run,
                const GoldenFlow& flow, torch::ScalarType type) {
  const auto number = [&](const char* key, double otherwise) {
    if (run.contains(key)) return run.at(key).get<double>();
    return golden.has_meta(key) ? golden.meta_json(key).get<double>() : otherwise;
  };
  const Dopri5 numbers = {.atol = number("atol", 1e-6), .rtol = number("rtol", 1e-3)};
  const Trace trace = trace_dopri5(flow.start(), numbers, run.at("num_steps"), flow);
  const auto evaluations = std::ssize(trace.times);
  const bool wide = type == torch::kFloat64;
  expect_points(golden, name, run, flow, trace, wide ? kDoubleTolerance : kAdaptiveTolerance);
  if (wide) {
    EXPECT_EQ(evaluations, run.at("nfe_f64").get<int64_t>());
    expect_times(golden, name, trace, kDoubleTolerance);
    const Tensor ratios = golden.expected(name + ".error_ratio");
    EXPECT_TRUE(close(as_tensor(trace.error_ratios), ratios, kRatioTolerance));
    EXPECT_EQ(trace.rejected(), (ratios > 1).sum().item<int64_t>());
  } else {
    const bool robust = run.value("nfe_robust_in_f32", false);
    EXPECT_NEAR(static_cast<double>(evaluations), run.at("nfe").get<double>(),
                robust ? 0.0 : kEvaluationsOfAnAttempt);
  }
}

void run_ode(const GoldenCase& golden) {
  const nlohmann::json runs = golden.meta_json("runs");
  for (const auto& [name, run] : runs.items()) {
    const std::string method = run.value("method", name);
    const bool unconditional =
        run.contains("uncond") ? run.at("uncond").get<bool>() : golden.meta("uncond") == "true";
    for (const torch::ScalarType type : kPrecisions) {
      SCOPED_TRACE(golden.name() + " " + name + " " + torch::toString(type));
      GoldenFlow flow(golden, objective_of(run, unconditional), type);
      if (run.contains("cfg")) flow.guide(run.at("cfg"));
      if (const auto fixed = find_named(kReferenceMethods, method)) {
        run_fixed_grid(golden, name, run, *fixed, flow, type);
      } else {
        ASSERT_EQ(method, "dopri5");
        run_dopri5(golden, name, run, flow, type);
      }
    }
  }
}

TEST(GoldenOde, every_run_matches_the_reference) {
  for (const GoldenCase& golden : golden_cases("ode")) run_ode(golden);
}

TEST(GoldenOde, every_run_of_a_trained_model_matches_the_reference) {
  for (const GoldenCase& golden : golden_cases("ode_D")) run_ode(golden);
}

// The stiffness of "y1'=5*(1-y0^2)*y1-y0".
double stiffness_in(const std::string& formula) {
  std::smatch match;
  const std::regex form(R"(Van der Pol: y0'=y1; y1'=([0-9.]+)\*\(1-y0\^2\)\*y1-y0)");
  EXPECT_TRUE(std::regex_match(formula, match, form)) << formula;
  return match.empty() ? 0 : std::stod(match[1]);
}

TEST(GoldenOde, a_formula_is_integrated_as_by_the_reference_rejected_steps_included) {
  for (const GoldenCase& golden : golden_cases("ode_analytic")) {
    const double stiffness = stiffness_in(golden.meta("formula"));
    const Gradient gradient = [&](const State& y, double) {
      return State{-y[1], -(stiffness * (1 - y[0] * y[0]) * y[1] - y[0])};
    };
    const State start = flat_state(golden.expected("y0"));
    const nlohmann::json runs = golden.meta_json("runs");
    for (const auto& [name, run] : runs.items()) {
      SCOPED_TRACE(golden.name() + " " + name);
      const Tensor ts = golden.expected(name + ".ts");
      const double t0 = ts[0].item<double>(), t1 = ts[-1].item<double>();
      const int64_t points = run.at("points");
      Trace trace;
      if (const auto fixed = find_named(kReferenceMethods, name)) {
        trace = trace_steps(*runge_kutta(*fixed, points - 1, t0, t1).start(start, {}), gradient);
      } else {
        ASSERT_EQ(name, "dopri5");
        trace = trace_dopri5(start,
                             {.atol = run.at("atol"), .rtol = run.at("rtol"), .t0 = t0, .t1 = t1},
                             points, gradient);
        const Tensor ratios = golden.expected("dopri5.error_ratio");
        EXPECT_TRUE(close(as_tensor(trace.error_ratios), ratios, kRatioTolerance));
        EXPECT_EQ(std::ssize(trace.error_ratios), run.at("attempts").get<int64_t>());
        EXPECT_EQ(trace.rejected(), run.at("rejected").get<int64_t>());
        expect_times(golden, name, trace, kDoubleTolerance);
      }
      EXPECT_EQ(std::ssize(trace.times), run.at("nfe").get<int64_t>());
      EXPECT_TRUE(close(tensor_of(join(trace.points), {points, 2}), golden.expected(name + ".y"),
                        kDoubleTolerance));
    }
  }
}

Sde sde_of(const nlohmann::json& run) {
  const Names<PathKind> paths = {
      {"Linear", PathKind::linear}, {"GVP", PathKind::gvp}, {"VP", PathKind::vp}};
  const Names<DiffusionForm> forms = {
      {"constant", DiffusionForm::constant},
      {"SBDM", DiffusionForm::sbdm},
      {"sigma", DiffusionForm::sigma},
      {"linear", DiffusionForm::linear},
      {"decreasing", DiffusionForm::decreasing},
      {"inccreasing-decreasing", DiffusionForm::increasing_decreasing}};
  const Names<SdeMethod> methods = {{"Euler", SdeMethod::euler}, {"Heun", SdeMethod::heun}};
  const Names<LastStep> lasts = {{"None", LastStep::none},
                                 {"Mean", LastStep::mean},
                                 {"Tweedie", LastStep::tweedie},
                                 {"Euler", LastStep::euler}};
  const std::string last = run.at("last").is_null() ? "None" : run.at("last").get<std::string>();
  return {.path = {.kind = find_named(paths, run.at("path").get<std::string>()).value()},
          .form = find_named(forms, run.at("form").get<std::string>()).value(),
          .norm = run.at("norm"),
          .method = find_named(methods, run.at("method").get<std::string>()).value(),
          .steps = run.at("num_steps").get<int64_t>() - 1,
          .t0 = run.at("t0"),
          .t1 = run.at("t1"),
          .last = find_named(lasts, last).value(),
          .last_step_size = run.at("last_step_size")};
}

TEST(GoldenSde, every_run_matches_the_reference) {
  for (const GoldenCase& golden : golden_cases("sde")) {
    const nlohmann::json runs = golden.meta_json("runs");
    const Tensor draws = golden.input("noise", torch::kFloat64);
    const NoiseSource noise = [&](int64_t draw, State& out) { out = flat_state(draws[draw]); };
    const bool unconditional = golden.meta("uncond") == "true";
    for (const torch::ScalarType type : kPrecisions) {
      for (const auto& [name, run] : runs.items()) {
        SCOPED_TRACE(golden.name() + " " + name + " " + torch::toString(type));
        const GoldenFlow flow(golden, objective_of(run, unconditional), type);
        const Sde numbers = sde_of(run);
        Trace trace = trace_steps(*sde(numbers).start(flow.start(), noise), flow);
        // The reference's list has an entry for the last step even where there is none.
        if (numbers.last == LastStep::none) trace.points.push_back(trace.points.back());
        ASSERT_EQ(std::ssize(trace.points), numbers.steps + 2);
        const double limit = tolerance(type, kFixedTolerance);
        const Tensor stored = golden.expected(name + ".x");
        const auto indices = run.at("stored").get<std::vector<size_t>>();
        for (size_t i = 0; i < indices.size(); ++i) {  // the list lacks the start
          EXPECT_TRUE(close(flow.samples(trace.points.at(indices[i] + 1)),
                            stored[static_cast<int64_t>(i)], limit_for(golden, name + ".x", limit)))
              << "step " << indices[i];
        }
        EXPECT_TRUE(
            close(flow.samples(trace.points.back()), golden.expected(name + ".x_final"), limit));
      }
    }
  }
}

}  // namespace
}  // namespace eqm::test
