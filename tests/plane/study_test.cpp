#include "eqm/plane/study.h"

#include <cmath>
#include <tuple>

#include <gtest/gtest.h>

#include "eqm/io/csv.h"
#include "eqm/measure/sliced_wasserstein.h"
#include "eqm/plane/figure.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

// Small enough for a test, long enough to find two points.
PlaneOptions small_options() {
  PlaneOptions options;
  options.data = "two-points";
  options.points = 512;
  options.steps = 500;
  options.batch = 128;
  options.width = 48;
  options.depth = 2;
  options.fourier = 8;
  options.samples = 128;
  options.paths = 5;
  options.flow_beside = false;
  return options;
}

PlaneStudy run(const PlaneOptions& options, torch::ScalarType type = torch::kFloat32) {
  NoProgress progress;
  return study_plane(options, type, progress);
}

TEST(PlaneStudy, every_objective_finds_the_data) {
  for (const ObjectiveKind kind :
       {ObjectiveKind::eqm, ObjectiveKind::eqm_dot, ObjectiveKind::eqm_l2, ObjectiveKind::fm,
        ObjectiveKind::fm_unconditional}) {
    PlaneOptions options = small_options();
    options.objective = kind;
    if (kind == ObjectiveKind::eqm_l2) options.steps = 2400;  // half of them prepare
    const PlaneStudy study = run(options);
    EXPECT_LT(study.main.distance, 0.45 * study.noise_distance) << name_of(kind);
    EXPECT_EQ(study.main.samples.size(0), options.samples);
    EXPECT_EQ(study.main.records.size(), static_cast<size_t>(options.samples));
  }
}

TEST(PlaneStudy, works_in_double_precision) {
  const PlaneStudy study = run(small_options(), torch::kFloat64);
  EXPECT_LT(study.main.distance, 0.45 * study.noise_distance);
  EXPECT_EQ(options_of(*study.main.model.backbone).dtype(), torch::kFloat64);
}

TEST(PlaneStudy, is_a_pure_function_of_its_options) {
  PlaneOptions options = small_options();
  options.steps = 30;
  const PlaneStudy a = run(options), b = run(options);
  EXPECT_TRUE(torch::equal(a.main.samples, b.main.samples));
  options.seed = 1;
  EXPECT_FALSE(torch::equal(a.main.samples, run(options).main.samples));
}

TEST(PlaneStudy, paths_lead_from_the_start_to_the_samples) {
  PlaneOptions options = small_options();
  options.steps = 30;
  for (const RuleKind rule : {RuleKind::gradient_descent, RuleKind::nesterov}) {
    options.descent.rule = rule;
    const PlaneStudy study = run(options);
    const Tensor first = study.main.start.narrow(0, 0, options.paths);
    const Tensor last = study.main.samples.narrow(0, 0, options.paths);
    EXPECT_TRUE(torch::allclose(study.main.paths.front(), first));
    EXPECT_TRUE(torch::allclose(study.main.paths.back(), last));
    EXPECT_EQ(study.main.mean_norms.size() + 1, study.main.paths.size());
  }
}

TEST(PlaneStudy, the_data_keep_their_place_and_scale) {
  const TemporaryFolder folder;
  const std::vector<double> points = {1000, -50, 1002, -48};
  write_csv(folder / "points.csv", {"x", "y"}, points, 2);
  PlaneOptions options = small_options();
  options.data = (folder / "points.csv").string();
  options.steps = 1000;
  const PlaneStudy study = run(options);
  EXPECT_LT(study.main.distance, 0.5 * study.noise_distance);
  EXPECT_NEAR(study.main.samples.mean(0)[0].item<double>(), 1001, 0.5);
  EXPECT_NEAR(study.main.samples.mean(0)[1].item<double>(), -49, 0.5);
}

TEST(PlaneOptions, settle_the_descent_by_the_objective) {
  PlaneOptions options;
  const auto text = [&](ObjectiveKind kind) {
    const Objective objective = {.kind = kind, .magnitude = options.magnitude};
    return options.descent_for(kind).resolve(objective).described();
  };
  EXPECT_EQ(text(ObjectiveKind::eqm), "gd eta 0.1 limit 40 threshold 0.01");
  EXPECT_EQ(text(ObjectiveKind::eqm_dot), "gd eta 0.1 limit 40 threshold 0.01");
  EXPECT_EQ(text(ObjectiveKind::fm), "euler steps 100");
  options.descent.limit = 20;
  EXPECT_EQ(text(ObjectiveKind::eqm), "gd eta 0.2 limit 20 threshold 0.01");
  EXPECT_EQ(text(ObjectiveKind::fm_unconditional), "euler steps 20");
}

TEST(PlaneOptions, take_every_rule_with_their_own_defaults) {
  for (const auto& [name, rule] : rule_names()) {
    for (const ObjectiveKind kind :
         {ObjectiveKind::eqm, ObjectiveKind::eqm_dot, ObjectiveKind::fm}) {
      PlaneOptions options;
      options.objective = kind;
      options.descent.rule = rule;
      const bool sde = rule == RuleKind::sde_euler || rule == RuleKind::sde_heun;
      const bool blind = rule == RuleKind::backtracking && !has_energy(kind);
      const bool fits =
          is_flow(kind) ? is_integrator(rule) || rule == RuleKind::automatic : !sde && !blind;
      if (fits) {
        EXPECT_NO_THROW(options.validate()) << name << " " << name_of(kind);
        const Objective objective = {.kind = kind, .magnitude = options.magnitude};
        EXPECT_EQ(options.descent_for(kind).unused(objective), std::vector<std::string>()) << name;
      } else {
        expect_error(ErrorKind::usage,
                     is_flow(kind) ? name
                     : sde         ? "SDE"
                                   : "compares energies",
                     [&] { options.validate(); });
      }
    }
  }
}

TEST(PlaneOptions, refuse_what_an_integrator_does_nothing_with) {
  for (const ObjectiveKind kind : {ObjectiveKind::eqm, ObjectiveKind::fm_unconditional}) {
    PlaneOptions options;
    options.objective = kind;
    options.descent.rule = RuleKind::dopri5;
    options.descent.eta = 0.02;
    expect_error(ErrorKind::usage, "{eta}", [&] { options.validate(); });
    options.descent.rule = RuleKind::euler;
    EXPECT_NO_THROW(options.validate()) << "its steps may have any size";
    options.descent.eta = 0;
    options.descent.threshold = 0.5;
    expect_error(ErrorKind::usage, "never stops early", [&] { options.validate(); });
  }
}

TEST(PlaneStudy, descends_by_the_rule_that_was_asked_for) {
  PlaneOptions options = small_options();
  options.steps = 5;
  options.samples = 4;
  options.descent.limit = 7;
  for (const auto& [kind, rule, evaluations] :
       {std::tuple(ObjectiveKind::eqm, RuleKind::heun, 14),
        std::tuple(ObjectiveKind::fm_unconditional, RuleKind::midpoint, 14),
        std::tuple(ObjectiveKind::fm, RuleKind::automatic, 7)}) {
    options.objective = kind;
    options.descent.rule = rule;
    EXPECT_EQ(run(options).main.records[0].evaluations, evaluations) << name_of(kind);
  }
}

// 300 points leave 60 that are not trained on; 60 of anything lie farther away than 2,000.
TEST(PlaneStudy, compares_equally_many_samples_and_fresh_points) {
  const TemporaryFolder folder;
  std::vector<double> points, reversed;
  for (int64_t i = 0; i < 300; ++i) {
    const double angle = 0.0209 * static_cast<double>(i);
    points.insert(points.end(), {std::cos(angle), std::sin(angle)});
    reversed.insert(reversed.begin(), {std::cos(angle), std::sin(angle)});
  }
  write_csv(folder / "points.csv", {"x", "y"}, points, 2);
  write_csv(folder / "reversed.csv", {"x", "y"}, reversed, 2);
  PlaneOptions options = small_options();
  options.data = (folder / "points.csv").string();
  options.steps = 10;
  options.samples = 600;
  const PlaneStudy study = run(options);
  EXPECT_EQ(study.compared, 60);
  EXPECT_EQ(study.data.size(0), 240);
  double mean = 0;
  for (int64_t i = 0; i < 10; ++i) {
    mean += sliced_wasserstein(study.main.samples.narrow(0, 60 * i, 60), study.data) / 10;
  }
  EXPECT_NEAR(study.main.distance, mean, 1e-9);
  ASSERT_TRUE(study.fresh_distance);
  EXPECT_LT(*study.fresh_distance, 0.5 * study.main.distance);

  options.data = (folder / "reversed.csv").string();
  const PlaneStudy other = run(options);
  EXPECT_TRUE(torch::equal(other.data, study.data)) << "the order of lines does not matter";
  EXPECT_EQ(*other.fresh_distance, *study.fresh_distance);

  options.samples = 20;
  EXPECT_EQ(run(options).compared, 20);
  options.data = "two-points";
  EXPECT_EQ(run(options).compared, 20) << "as many fresh points as samples";
}

TEST(PlaneStudy, refuses_points_without_extent) {
  const TemporaryFolder folder;
  write_csv(folder / "one.csv", {}, std::vector<double>{1, 2, 1, 2}, 2);
  PlaneOptions options = small_options();
  options.data = (folder / "one.csv").string();
  expect_error(ErrorKind::input, "the same", [&] { run(options); });
  options.data = "mons";
  expect_error(ErrorKind::usage, "mons", [&] { run(options); });
}

TEST(PlaneFigure, is_drawn_for_every_objective_with_and_without_flow) {
  for (const ObjectiveKind kind : {ObjectiveKind::eqm, ObjectiveKind::eqm_dot, ObjectiveKind::fm,
                                   ObjectiveKind::fm_unconditional}) {
    for (const bool beside : {false, true}) {
      PlaneOptions options = small_options();
      options.objective = kind;
      options.flow_beside = beside;
      options.steps = 5;
      options.paths = beside ? 3 : 0;
      const draw::Pixels pixels = draw_plane(run(options)).to_pixels(0.25);
      EXPECT_GT(
          std::count_if(pixels.rgb.begin(), pixels.rgb.end(), [](uint8_t v) { return v < 128; }),
          100)
          << name_of(kind);
    }
  }
}

}  // namespace
}  // namespace eqm::test
