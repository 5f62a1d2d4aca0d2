// The uses that measure the quality of samples: evaluate and sweep.
#include <gtest/gtest.h>

#include "eqm/app/evaluate.h"
#include "eqm/app/sweep.h"
#include "eqm/backbone/convnet.h"
#include "tests/app/hint_of.h"
#include "tests/app/recording_host.h"
#include "tests/support/small_models.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

// A landscape and a classifier with random weights, and data for both: 8x8 pictures in 3 classes.
class MeasuringUses : public ::testing::Test {
 protected:
  MeasuringUses() {
    write_set(folder_ / "data.safetensors", {.count = 40});
    const SitConfig config = {.input_size = 8,
                              .patch_size = 4,
                              .in_channels = 1,
                              .hidden_size = 8,
                              .depth = 1,
                              .num_heads = 2,
                              .mlp_ratio = 2,
                              .num_classes = 3};
    save(model_of(small_sit(config), ObjectiveKind::eqm), "model.safetensors");
    save(model_of(small_sit(config), ObjectiveKind::fm), "flow.safetensors");
    Model classifier = model_of(std::make_shared<ConvNet>(ConvNetConfig{
                                    .input_size = 8, .width = 2, .features = 3, .num_classes = 3}),
                                ObjectiveKind::classifier);
    shake(*classifier.backbone, 0.3);
    save(std::move(classifier), "classifier.safetensors");
  }

  std::string in_folder(const std::string& name) const { return (folder_ / name).string(); }

  app::ComparisonOptions comparison() const {
    return {.features = in_folder("classifier.safetensors"),
            .reference = in_folder("data.safetensors")};
  }

  app::EvaluateOptions evaluation() const {
    app::EvaluateOptions options = {.model = in_folder("model.safetensors"),
                                    .comparison = comparison(),
                                    .samples = 12,
                                    .out = in_folder("evaluation")};
    options.evaluation.resamplings = 2;
    options.descent.limit = 3;
    options.runtime.threads = 1;
    return options;
  }

  app::SweepOptions sweep(const std::string& grid) const {
    app::SweepOptions options = {.model = in_folder("model.safetensors"),
                                 .comparison = comparison(),
                                 .grid = grid,
                                 .samples = 8,
                                 .out = in_folder("sweep")};
    options.runtime.threads = 1;
    return options;
  }

  TemporaryFolder folder_;

 private:
  void save(Model model, const std::string& name) const {
    model.scaling = Scaling::pixels();
    model.class_names = {"class 0", "class 1", "class 2"};
    save_model(model, folder_ / name);
  }
};

TEST_F(MeasuringUses, evaluate_answers_every_set_and_its_files) {
  app::EvaluateOptions options = evaluation();
  options.floor = true;
  RecordingHost host;
  const app::EvaluateResult result = app::run(options, host);
  EXPECT_FALSE(result.stopped);
  ASSERT_EQ(result.sets.size(), 2U) << "the data have no test part";
  EXPECT_EQ(result.sets[0].name, "samples");
  EXPECT_EQ(result.sets[1].name, "noise");
  EXPECT_EQ(result.distance, "FD");
  EXPECT_EQ(result.files, (std::vector<std::string>{in_folder("evaluation/evaluation.json"),
                                                    in_folder("evaluation/evaluation.png")}));
  for (const std::string& file : result.files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
}

TEST_F(MeasuringUses, evaluate_makes_statistics_alone) {
  app::EvaluateOptions options = evaluation();
  options.model.clear();
  options.statistics = in_folder("statistics.npz");
  RecordingHost host;
  const app::EvaluateResult result = app::run(options, host);
  EXPECT_TRUE(result.sets.empty());
  EXPECT_EQ(result.files, std::vector<std::string>{options.statistics});
  EXPECT_TRUE(std::filesystem::exists(options.statistics));
  EXPECT_FALSE(std::filesystem::exists(in_folder("evaluation")));
}

TEST_F(MeasuringUses, evaluate_writes_nothing_when_it_is_stopped) {
  RecordingHost host(1);
  const app::EvaluateResult result = app::run(evaluation(), host);
  EXPECT_TRUE(result.stopped);
  EXPECT_TRUE(result.files.empty());
  EXPECT_FALSE(std::filesystem::exists(in_folder("evaluation/evaluation.json")));
  EXPECT_NE(host.logged().find("give it as {pictures}"), std::string::npos) << host.logged();
}

TEST_F(MeasuringUses, evaluate_without_labels_asks_for_no_class) {
  app::EvaluateOptions options = evaluation();
  options.labels = "null";
  RecordingHost host;
  const app::EvaluateResult result = app::run(options, host);
  ASSERT_EQ(result.sets.size(), 1U);
  EXPECT_FALSE(result.sets[0].evaluation.accuracy);
  EXPECT_EQ(host.logged().find("classes"), std::string::npos) << host.logged();
  options.guidance.scale = 2;
  EXPECT_EQ(hint_of([&] { app::run(options, host); }),
            "name classes by {labels}, or leave {guidance} at 1");
}

TEST_F(MeasuringUses, evaluate_guides_the_channels_it_is_asked_to) {
  const auto distance = [&](GuidanceOptions guidance) {
    app::EvaluateOptions options = evaluation();
    options.guidance = guidance;
    RecordingHost host;
    return app::run(options, host).sets.at(0).evaluation.distance;
  };
  EXPECT_NE(distance({.scale = 40}), distance({}));
  // Of one channel, the first three are all.
  EXPECT_EQ(distance({.scale = 40, .channels = GuidedChannels::first_three}),
            distance({.scale = 40}));
}

TEST_F(MeasuringUses, sweep_has_an_axis_of_guidance_and_samples_of_no_class) {
  RecordingHost host;
  app::SweepOptions options = sweep("guidance=1,40 guided-channels=all,first-three");
  options.descent.limit = 3;
  const app::SweepResult guided = app::run(options, host);
  ASSERT_EQ(guided.measured.size(), 4U);
  EXPECT_NE(guided.measured[0].quality.distance, guided.measured[2].quality.distance);
  EXPECT_TRUE(guided.measured[0].quality.accuracy);
  options.grid = "limit=3";
  options.labels = "null";
  const app::SweepResult free = app::run(options, host);
  ASSERT_EQ(free.measured.size(), 1U);
  EXPECT_FALSE(free.measured[0].quality.accuracy) << "nor taken from the sweep before";
}

TEST_F(MeasuringUses, evaluate_refusals_name_options_by_key) {
  RecordingHost host;
  app::EvaluateOptions options = evaluation();
  options.pictures = in_folder("data.safetensors");
  EXPECT_EQ(hint_of([&] { app::run(options, host); }),
            "use either {model} FILE or {pictures} PATH");
  options.model.clear();
  options.pictures.clear();
  EXPECT_EQ(hint_of([&] { app::run(options, host); }), "use {model} FILE or {pictures} PATH");
  options.save_pictures = true;
  options.model = "some";
  EXPECT_EQ(hint_of([&] { app::run(options, host); }), "name one with {save-statistics} FILE.npz");
}

TEST_F(MeasuringUses, sweep_tells_of_every_point_in_the_order_of_the_grid) {
  RecordingHost host;
  std::vector<std::string> settings;
  int64_t begun = 0;
  const app::SweepResult result =
      app::run(sweep("eta=0.01,0.02 limit=2,3"), host,
               {.begun = [&](std::optional<double>) { ++begun; },
                .measured = [&](const std::string& setting,
                                const app::Quality&) { settings.push_back(setting); }});
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(settings, (std::vector<std::string>{"eta 0.01, limit 2", "eta 0.01, limit 3",
                                                "eta 0.02, limit 2", "eta 0.02, limit 3"}));
  ASSERT_EQ(result.measured.size(), 4U);
  EXPECT_EQ(result.measured[3].point, (app::GridPoint{"0.02", "3"}));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "sweep" / "sweep.csv"));
}

TEST_F(MeasuringUses, sweep_keeps_what_it_measured_before_it_was_stopped) {
  RecordingHost quiet;
  app::run(sweep("limit=2"), quiet);

  RecordingHost stopping(1);
  const app::SweepResult stopped = app::run(sweep("limit=2,3"), stopping);
  EXPECT_TRUE(stopped.stopped);
  ASSERT_EQ(stopped.measured.size(), 1U) << "known from the first sweep";

  RecordingHost host;
  const app::SweepResult whole = app::run(sweep("limit=2,3"), host);
  EXPECT_FALSE(whole.stopped);
  ASSERT_EQ(whole.measured.size(), 2U);
  EXPECT_EQ(whole.measured[0].quality.distance, stopped.measured[0].quality.distance);
}

TEST_F(MeasuringUses, sweep_starts_from_images_and_compares_models) {
  RecordingHost host;
  app::SweepOptions options = sweep("model=" + in_folder("model.safetensors") + "," +
                                    in_folder("flow.safetensors") + " gamma=0,0.5,1");
  options.descent = {
      .rule = RuleKind::euler, .eta = 1e-9, .limit = 2};  // samples stay where they are
  const app::SweepResult result = app::run(options, host);
  ASSERT_EQ(result.measured.size(), 6U);
  EXPECT_EQ(result.axes.at(0).shown.at(1), "flow");
  const auto distance = [&](size_t i) { return result.measured[i].quality.distance; };
  for (const size_t model : {0U, 3U}) {
    EXPECT_LT(distance(model + 2), distance(model + 1)) << "images are nearer to data";
    EXPECT_NE(distance(model), distance(model + 1));
  }
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(distance(i), distance(i + 3), 1e-6) << "both models have the same starts";
  }
  EXPECT_TRUE(std::filesystem::exists(in_folder("sweep/by-gamma.png")));
  EXPECT_NE(host.logged().find("takes whatever it starts from"), std::string::npos);
  EXPECT_EQ(host.logged().find("makes no difference"), std::string::npos) << host.logged();
}

TEST_F(MeasuringUses, evaluate_starts_from_images) {
  RecordingHost host;
  app::EvaluateOptions options = evaluation();
  options.descent = {.rule = RuleKind::gradient_descent, .eta = 1e-9, .limit = 1};
  const double from_noise = app::run(options, host).sets[0].evaluation.distance;
  options.start.gamma = 1;
  const Evaluation at_data = app::run(options, host).sets[0].evaluation;
  EXPECT_LT(at_data.distance, from_noise);
  options.pictures = options.model;
  options.model.clear();
  EXPECT_EQ(hint_of([&] { app::run(options, host); }), "omit {gamma}, or give a {model} to sample");
}

TEST(SweepGrid, models_have_short_names_unless_two_would_be_the_same) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(app::short_names({"a/fm/model.safetensors", "b/eqm.safetensors", "runs/mine/"}),
            (Names{"fm", "eqm", "mine"}));
  EXPECT_EQ(app::short_names({"a/x.safetensors", "b/x.safetensors"}),
            (Names{"a/x.safetensors", "b/x.safetensors"}));
}

}  // namespace
}  // namespace eqm::test
