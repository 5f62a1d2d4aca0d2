#include "eqm/app/sample.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/app/film_strip.h"
#include "tests/app/app_models.h"
#include "tests/app/recording_host.h"
#include "tests/app/share_folder.h"
#include "tests/support/content_of.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;
using app::SampleOptions;
using app::SampleResult;

class CollectingSink final : public app::SampleSink {
 public:
  void begin(const app::SamplingPlan& plan) override { rows = plan.row_names; }
  void watch(int64_t /*sample*/, const Sight& /*sight*/) override { ++sights; }
  void add(int64_t sample, const Outcome& outcome) override {
    numbers.push_back(sample);
    states.push_back(outcome.x);
  }

  std::vector<std::string> rows;
  int64_t sights = 0;
  std::vector<int64_t> numbers;
  std::vector<State> states;
};

class SampleUse : public ::testing::Test {
 protected:
  SampleOptions options() const {
    SampleOptions options;
    options.model = model_;
    options.count = 5;
    options.descent.rule = RuleKind::gradient_descent;
    options.descent.eta = 0.01;
    options.descent.limit = 3;
    options.out = (folder_ / "out").string();
    return options;
  }

  // Samples that are never done.
  SampleOptions endless() const {
    SampleOptions slow = options();
    slow.descent.eta = 1e-9;
    slow.descent.limit = 1000000;
    return slow;
  }

  TemporaryFolder folder_;
  std::string model_ = write_picture_model(folder_ / "model.safetensors");
};

TEST_F(SampleUse, writes_the_files_it_names_and_counts_samples) {
  RecordingHost host;
  const SampleResult result = app::run(options(), host);
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(result.asked, 5);
  EXPECT_EQ(result.tally.finished, 5);
  EXPECT_EQ(result.tally.count_of(DescentStatus::limit), 5);
  EXPECT_EQ(result.tally.steps, 15);
  EXPECT_EQ(result.files, (std::vector<std::string>{"samples.jsonl", "grid.png", "pictures/"}));
  for (const std::string& name : result.files) EXPECT_TRUE(fs::exists(folder_ / "out" / name));
  EXPECT_TRUE(fs::exists(folder_ / "out" / "pictures" / "000004.png"));
  EXPECT_TRUE(host.stoppable());
}

TEST_F(SampleUse, draws_all_classes_in_turn_where_a_number_of_samples_is_asked_for) {
  save_model(picture_model(ObjectiveKind::eqm, 12), folder_ / "twelve.safetensors");
  SampleOptions many = options();
  many.model = (folder_ / "twelve.safetensors").string();
  many.count = 13;
  many.out.clear();
  CollectingSink sink;
  RecordingHost host;
  app::run(many, host, &sink);
  ASSERT_EQ(sink.rows.size(), 12U);
  EXPECT_EQ(sink.rows[11], "class 11");
  EXPECT_EQ(sink.numbers.size(), 13U);
}

TEST_F(SampleUse, says_when_an_integrator_was_cut_short) {
  SampleOptions cut = options();
  cut.descent = {.rule = RuleKind::dopri5, .limit = 1};
  RecordingHost host;
  const SampleResult result = app::run(cut, host);
  EXPECT_EQ(result.tally.count_of(DescentStatus::limit), 5);
  EXPECT_NE(host.logged().find("5 of 5 samples of dopri5 were cut short after 1 steps"),
            std::string::npos)
      << host.logged();
  RecordingHost quiet;
  cut.descent = {.rule = RuleKind::euler, .limit = 1};
  app::run(cut, quiet);
  EXPECT_EQ(quiet.logged().find("cut short"), std::string::npos) << quiet.logged();
}

TEST_F(SampleUse, gives_samples_to_a_sink_without_writing_files) {
  RecordingHost host;
  SampleOptions quiet = options();
  quiet.out = "";
  CollectingSink sink;
  const SampleResult result = app::run(quiet, host, &sink);
  EXPECT_EQ(sink.rows, (std::vector<std::string>{"class 0", "class 1", "class 2"}));
  EXPECT_EQ(sink.numbers, (std::vector<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(sink.states.at(0).size(), 64U);
  EXPECT_GT(sink.sights, 0);
  EXPECT_EQ(result.tally.finished, 5);
  EXPECT_TRUE(result.files.empty());
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"model.safetensors"});
}

TEST_F(SampleUse, a_sink_beside_a_folder_receives_every_sample_too) {
  RecordingHost host;
  CollectingSink sink;
  app::run(options(), host, &sink);
  EXPECT_TRUE(fs::exists(folder_ / "out" / "grid.png"));
  EXPECT_EQ(sink.numbers.size(), 5U);
}

TEST_F(SampleUse, a_stop_ends_it_with_what_was_under_way) {
  RecordingHost host(/*stop_after=*/4);
  const SampleResult result = app::run(endless(), host);
  EXPECT_TRUE(result.stopped);
  EXPECT_FALSE(result.kept_earlier);
  EXPECT_EQ(result.tally.count_of(DescentStatus::cancelled), 5);
  EXPECT_EQ(result.tally.finished, 0);
  EXPECT_TRUE(fs::exists(folder_ / "out" / "grid.png"));
  EXPECT_NE(host.logged().find("samples.jsonl"), std::string::npos) << host.logged();
  EXPECT_NO_THROW(app::require_some_sound(result));
}

TEST_F(SampleUse, a_stop_names_no_files_where_none_are_written) {
  RecordingHost host(/*stop_after=*/4);
  SampleOptions bare = endless();
  bare.out.clear();
  CollectingSink sink;
  EXPECT_TRUE(app::run(bare, host, &sink).stopped);
  EXPECT_NE(host.logged().find("0 of 5 samples are done"), std::string::npos) << host.logged();
  EXPECT_EQ(host.logged().find("samples.jsonl"), std::string::npos) << host.logged();
}

TEST_F(SampleUse, a_stop_before_the_first_sample_keeps_an_earlier_run) {
  RecordingHost first, second(/*stop_after=*/4);
  app::run(options(), first);
  const std::string before = content_of(folder_ / "out" / "samples.jsonl");
  const SampleResult result = app::run(endless(), second);
  EXPECT_TRUE(result.stopped);
  EXPECT_TRUE(result.kept_earlier);
  EXPECT_EQ(content_of(folder_ / "out" / "samples.jsonl"), before);
}

TEST_F(SampleUse, samples_that_all_diverge_are_an_error_after_the_result) {
  RecordingHost host;
  SampleOptions wild = options();
  wild.descent.eta = 1e30;
  const SampleResult result = app::run(wild, host);
  EXPECT_EQ(result.tally.count_of(DescentStatus::diverged), 5);
  expect_error(ErrorKind::numeric, "every sample diverged",
               [&] { app::require_some_sound(result); });
}

TEST_F(SampleUse, messages_name_options_by_key) {
  RecordingHost host;
  SampleOptions idle = options();
  idle.descent.temperature = 0.5;
  app::run(idle, host);
  EXPECT_NE(host.logged().find("{temperature}"), std::string::npos) << host.logged();
  EXPECT_EQ(host.logged().find("--"), std::string::npos) << host.logged();
}

TEST_F(SampleUse, refuses_files_without_a_folder) {
  RecordingHost host;
  SampleOptions nowhere = options();
  nowhere.out = "";
  expect_error(ErrorKind::usage, "no folder", [&] { app::run(nowhere, host); });
  nowhere.files.histogram = true;
  CollectingSink sink;
  expect_error(ErrorKind::usage, "no folder", [&] { app::run(nowhere, host, &sink); });
}

TEST_F(SampleUse, takes_the_shipped_model_where_none_is_given) {
  fs::create_directories(folder_ / "models");
  const ShareFolder share(folder_.path());
  RecordingHost host;
  SampleOptions some = options();
  some.model = "";
  expect_error(ErrorKind::usage, "no model was given", [&] { app::run(some, host); });
  fs::copy(model_, folder_ / "models" / "fashion-xs4.safetensors");
  EXPECT_EQ(app::run(some, host).tally.finished, 5);
  EXPECT_NE(host.logged().find("shipped fashion-xs4"), std::string::npos) << host.logged();
}

TEST_F(SampleUse, draws_another_model_beside_from_the_same_noise_in_the_same_steps) {
  RecordingHost host;
  SampleOptions two = options();
  two.descent = {.eta = 0.05, .limit = 16};
  two.beside = write_picture_model(folder_ / "flow.safetensors", ObjectiveKind::fm);
  CollectingSink sink;
  const SampleResult result = app::run(two, host, &sink);
  EXPECT_NE(std::ranges::find(result.files, "beside.png"), result.files.end());
  EXPECT_TRUE(fs::exists(folder_ / "out/beside.png"));
  EXPECT_EQ(sink.states.size(), 5U) << "the model's own samples, as always";

  // Without a rule both take Euler's steps of that size.
  CollectingSink alone;
  SampleOptions one = two;
  one.beside.clear();
  one.out.clear();
  one.descent.rule = RuleKind::euler;
  app::run(one, host, &alone);
  for (size_t i = 0; i < 5; ++i) EXPECT_LT(norm(sink.states[i] - alone.states[i]), 1e-5);

  two.beside.clear();
  app::run(two, host);
  EXPECT_FALSE(fs::exists(folder_ / "out/beside.png")) << "it would show other samples";
}

TEST_F(SampleUse, refuses_models_that_do_not_belong_beside_each_other) {
  RecordingHost host;
  SampleOptions two = options();
  two.beside = write_picture_model(folder_ / "flow.safetensors", ObjectiveKind::fm);
  expect_error(ErrorKind::usage, "a flow has no bottom", [&] { app::run(two, host); });
  two.descent.rule = RuleKind::automatic;
  two.rows.mix = "0:1,1:1";
  expect_error(ErrorKind::usage, "a mix of classes", [&] { app::run(two, host); });
  two.rows.mix.clear();
  Model other = picture_model(ObjectiveKind::fm);
  other.class_names = {"x", "y", "z"};
  save_model(other, two.beside);
  expect_error(ErrorKind::usage, "has other classes", [&] { app::run(two, host); });
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

// A state that counts its steps.
TEST(FilmStrip, keeps_even_stages_and_both_ends) {
  app::FilmStrip strip(1, 20);
  EXPECT_EQ(strip.steps(), (std::vector<int64_t>{0, 3, 5, 8, 10, 13, 15, 18, 20}));
  for (int64_t step = 0; step < 12; ++step) {
    const State x = {static_cast<double>(step)};
    strip.watch(0, {.step = step, .x = x});
  }
  strip.add(0, {.x = {12}, .record = {.steps = 12}});  // at rest
  const Tensor expected = torch::tensor({0., 3., 5., 8., 10., 12., 12., 12., 12.}, torch::kFloat64);
  EXPECT_TRUE(torch::equal(strip.stages(0, {1}).flatten(), expected));
  EXPECT_EQ(app::FilmStrip(1, 2).steps(), (std::vector<int64_t>{0, 1, 2}));
}

}  // namespace
}  // namespace eqm::test
