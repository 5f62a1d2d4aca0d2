// Parity of descent with the reference: fixed numbers of steps, guidance, energies, composition, a
// clock, and the paper's adaptive stopping.
#include <gtest/gtest.h>

#include "eqm/descend/rules/rules.h"
#include "eqm/descend/sampling.h"
#include "tests/support/golden.h"
#include "tests/support/weighted_gradient.h"

namespace eqm::test {
namespace {

constexpr double kSamplingTolerance = 1e-5;

ObjectiveKind objective_of(const nlohmann::json& run) {
  // "grad_mode": false is what the reference's script does by accident: it steps along the raw
  // output.
  if (!run.value("grad_mode", true)) return ObjectiveKind::eqm;
  const std::string energy = run.value("ebm", "none");
  if (energy == "dot" || energy == "mean") return ObjectiveKind::eqm_dot;
  if (energy == "l2") return ObjectiveKind::eqm_l2;
  return run.value("uncond", true) ? ObjectiveKind::eqm : ObjectiveKind::eqm_noise_condition;
}

Rule rule_of(const nlohmann::json& run) {
  const double eta = run.at("eta"), mu = run.at("mu");
  return mu == 0 ? gradient_descent(eta) : nesterov_look_ahead(eta, mu);
}

TEST(GoldenSampling, iterates_of_every_run_match_the_reference) {
  for (const GoldenCase& golden : golden_cases("sampling")) {
    const nlohmann::json runs = golden.meta_json("runs");
    for (const auto& [name, run] : runs.items()) {
      for (const torch::ScalarType type : kPrecisions) {
        SCOPED_TRACE(golden.name() + " " + name + " " + torch::toString(type));
        const LearnedField field(golden.model(objective_of(run), type));
        const Tensor labels = golden.integers("y");
        const int64_t updates = run.at("updates");
        const Tensor start = golden.input("z", type);
        Descent how = {.rule = rule_of(run), .stop = {.threshold = 0, .limit = updates}};
        SamplingSpec spec = {.labels = labels};
        if (!run.at("scale").is_null()) {
          const bool all = run.value("guide", "first3") == "all";
          spec.terms = [&, all](int64_t b) {
            return guidance(labels[b].item<int64_t>(), run.at("scale"),
                            all ? GuidedChannels::all : GuidedChannels::first_three);
          };
        }
        if (run.value("compose", false)) {
          const Tensor others = golden.integers("y_compose");
          spec.terms = [&, others](int64_t b) {
            return composition({labels[b].item<int64_t>(), others[b].item<int64_t>()});
          };
        }
        // The reference's noise-conditional script starts its clock at 1 and adds η each step.
        if (!run.value("uncond", true)) {
          how.clock = [eta = run.at("eta").get<double>()](int64_t step) {
            return 1.0 + eta * static_cast<double>(step);
          };
        }
        std::vector<Tensor> states(static_cast<size_t>(updates), torch::empty_like(start));
        for (Tensor& state : states) state = torch::empty_like(start);
        spec.watch = [&](int64_t row, const Sight& sight) {
          put_state(sight.x, states.at(static_cast<size_t>(sight.step)), row);
        };
        const DescentResult result = descend(field, start, how, spec);
        states.push_back(result.x);

        const double limit = tolerance(type, kSamplingTolerance);
        EXPECT_TRUE(close(result.x, golden.expected(name + ".x_final"), limit));
        // Where iterates are stored in float32 only, that is all the comparison can ask for.
        const bool wide = golden.has(name + ".x.f64");
        const Tensor stored = golden.expected(name + ".x");
        const auto steps = run.at("stored_steps").get<std::vector<size_t>>();
        for (size_t i = 0; i < steps.size(); ++i) {
          EXPECT_TRUE(close(states.at(steps[i]), stored[static_cast<int64_t>(i)],
                            wide ? limit : kSamplingTolerance))
              << "step " << steps[i];
        }
        for (const SampleRecord& sample : result.samples) {
          EXPECT_EQ(sample.steps, updates);
          EXPECT_EQ(sample.status, DescentStatus::limit);
        }
      }
    }
  }
}

TEST(GoldenAdaptive, every_sample_stops_at_its_own_step) {
  for (const GoldenCase& golden : golden_cases("adaptive")) {
    const nlohmann::json runs = golden.meta_json("runs");
    for (const auto& [name, run] : runs.items()) {
      for (const torch::ScalarType type : kPrecisions) {
        SCOPED_TRACE(golden.name() + " " + name + " " + torch::toString(type));
        const LearnedField field(golden.model(ObjectiveKind::eqm, type));
        const bool capped = run.contains("max_steps");
        const Tensor expected_norms =
            golden.has(name + ".grad_norm") ? golden.expected(name + ".grad_norm") : Tensor();
        const Tensor start = golden.input("start", type);
        const Descent how = {.rule = rule_of(run),
                             .stop = {.threshold = run.at("threshold"),
                                      .limit = run.value("max_steps", int64_t{10000})}};
        SamplingSpec spec = {.labels = golden.integers("y")};
        const double limit = tolerance(type, kSamplingTolerance);
        spec.watch = [&](int64_t row, const Sight& sight) {
          if (!expected_norms.defined() || sight.step >= expected_norms.size(0)) return;
          const double expected = expected_norms[sight.step][row].item<double>();
          EXPECT_NEAR(sight.norm, expected, limit * expected) << sight.step;
        };
        const DescentResult result = descend(field, start, how, spec);
        EXPECT_TRUE(close(result.x, golden.expected(name + ".x_final"), limit));
        const Tensor steps = golden.integers(name + ".steps");
        for (int64_t b = 0; b < steps.size(0); ++b) {
          const SampleRecord& sample = result.samples[static_cast<size_t>(b)];
          EXPECT_EQ(sample.steps, steps[b].item<int64_t>()) << "sample " << b;
          EXPECT_EQ(sample.status, capped ? DescentStatus::limit : DescentStatus::converged);
        }
      }
    }
  }
}

}  // namespace
}  // namespace eqm::test
