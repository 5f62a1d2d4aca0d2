// Parity of descent with the reference: fixed numbers of steps, guidance, energies, composition, a
// clock, and the paper's adaptive stopping.
#include <gtest/gtest.h>

#include "eqm/descend/descent.h"
#include "tests/support/golden.h"

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

std::unique_ptr<Rule> rule_of(const nlohmann::json& run) {
  const double eta = run.at("eta"), mu = run.at("mu");
  if (mu == 0) return std::make_unique<GradientDescent>(eta);
  return std::make_unique<NesterovLookAhead>(eta, mu);
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
        DescentRequest request = {.start = golden.input("z", type),
                                  .condition = {.labels = labels, .time = {}},
                                  .terms = {},
                                  .stop = {.threshold = 0, .limit = updates},
                                  .clock = {},
                                  .observe = {}};
        if (!run.at("scale").is_null()) {
          const bool all = run.value("guide", "first3") == "all";
          request.terms = guidance(labels, golden.meta_json("null_label"), run.at("scale"),
                                   all ? GuidedChannels::all : GuidedChannels::first_three);
        }
        if (run.value("compose", false))
          request.terms = composition({labels, golden.integers("y_compose")});
        // The reference's noise-conditional script starts its clock at 1 and adds η each step.
        if (!run.value("uncond", true)) {
          request.clock = [eta = run.at("eta").get<double>()](int64_t step) {
            return 1.0 + eta * static_cast<double>(step);
          };
        }
        std::vector<Tensor> states;
        request.observe = [&](int64_t, const Tensor&, const Tensor& x, const Tensor&) {
          states.push_back(x.clone());
        };
        const DescentResult result = descend(field, *rule_of(run), request);

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
        DescentRequest request = {.start = golden.input("start", type),
                                  .condition = {.labels = golden.integers("y"), .time = {}},
                                  .terms = {},
                                  .stop = {.threshold = run.at("threshold"),
                                           .limit = run.value("max_steps", int64_t{10000})},
                                  .clock = {},
                                  .observe = {}};
        const double limit = tolerance(type, kSamplingTolerance);
        request.observe = [&](int64_t step, const Tensor& rows, const Tensor&,
                              const Tensor& norms) {
          if (!expected_norms.defined() || step >= expected_norms.size(0)) return;
          EXPECT_TRUE(close(norms, expected_norms[step].index_select(0, rows), limit)) << step;
        };
        const DescentResult result = descend(field, *rule_of(run), request);
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
