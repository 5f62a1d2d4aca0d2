#include "eqm/app/sample.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

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
  EXPECT_NO_THROW(app::require_some_sound(result));
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

}  // namespace
}  // namespace eqm::test
