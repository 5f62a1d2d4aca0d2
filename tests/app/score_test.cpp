#include "eqm/app/score.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/app/app_models.h"
#include "tests/app/hint_of.h"
#include "tests/app/recording_host.h"
#include "tests/app/share_folder.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

using app::ScoreOptions;
using app::ScoreResult;

class ScoreUse : public ::testing::Test {
 protected:
  ScoreOptions options() const {
    ScoreOptions options;
    options.model = model_;
    options.data = data_;
    options.against = "noise";
    options.count = 10;
    options.batch = 4;
    options.out = (folder_ / "out").string();
    return options;
  }

  TemporaryFolder folder_;
  std::string model_ = write_picture_model(folder_ / "model.safetensors");
  std::string data_ = write_set(folder_ / "data.safetensors", {}).string();
};

TEST_F(ScoreUse, gives_a_score_for_every_example_and_names_its_files) {
  RecordingHost host;
  const ScoreResult result = app::run(options(), host);
  ASSERT_EQ(result.sets.size(), 2U);
  EXPECT_EQ(result.sets[0].name, data_);
  EXPECT_EQ(result.sets[0].scores.size(), 10U);
  EXPECT_EQ(result.sets[1].name, "noise");
  EXPECT_EQ(result.sets[1].scores.size(), 10U);
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(result.files.size(), 3U);
  for (const std::string& name : result.files) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / name)) << name;
  }
}

TEST_F(ScoreUse, a_stop_ends_it_between_batches_and_leaves_nothing) {
  RecordingHost host(/*stop_after=*/2);
  const ScoreResult result = app::run(options(), host);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(host.updates(), 2);
  EXPECT_TRUE(result.sets.empty());
  EXPECT_TRUE(result.files.empty());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(ScoreUse, takes_the_shipped_model_where_none_is_given) {
  std::filesystem::create_directories(folder_ / "models");
  std::filesystem::copy(model_, folder_ / "models" / "fashion-xs4.safetensors");
  const ShareFolder share(folder_.path());
  RecordingHost host;
  ScoreOptions some = options();
  const ScoreResult given = app::run(some, host);
  some.model = "";
  EXPECT_EQ(app::run(some, host).sets.at(0).scores, given.sets.at(0).scores);
}

TEST_F(ScoreUse, refuses_missing_data_and_names_options_by_key) {
  RecordingHost host;
  ScoreOptions none = options();
  none.data = "";
  EXPECT_EQ(hint_of([&] { app::run(none, host); }), "name a set by {data}");
}

}  // namespace
}  // namespace eqm::test
