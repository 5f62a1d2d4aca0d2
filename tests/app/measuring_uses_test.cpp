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
  EXPECT_NE(host.logged().find("{pictures} measures them"), std::string::npos) << host.logged();
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

}  // namespace
}  // namespace eqm::test
