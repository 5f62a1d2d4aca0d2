#include "eqm/app/score.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/measure/auroc.h"
#include "eqm/measure/typicality.h"
#include "tests/app/app_models.h"
#include "tests/app/hint_of.h"
#include "tests/app/recording_host.h"
#include "tests/app/share_folder.h"
#include "tests/support/content_of.h"
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
  EXPECT_EQ(result.files.size(), 4U);
  for (const std::string& name : result.files) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / name)) << name;
  }
}

TEST_F(ScoreUse, says_how_well_each_set_is_told_from_the_data) {
  RecordingHost host;
  ScoreOptions some = options();
  some.against = "noise,constant";
  const ScoreResult result = app::run(some, host);
  ASSERT_EQ(result.sets.size(), 3U);
  EXPECT_FALSE(result.sets[0].detection);
  double sum = 0;
  for (const size_t i : {1U, 2U}) {
    ASSERT_TRUE(result.sets[i].detection);
    const RangedValue area = result.sets[i].detection->auroc;
    EXPECT_EQ(area.value, auroc(result.sets[0].scores, result.sets[i].scores));
    EXPECT_LE(area.range.low, area.value);
    EXPECT_GE(area.range.high, area.value);
    sum += area.value;
  }
  ASSERT_TRUE(result.average);
  EXPECT_NEAR(result.average->auroc.value, sum / 2, 1e-15);

  const auto json = nlohmann::json::parse(content_of(folder_ / "out" / "scores.json"));
  EXPECT_EQ(json.at("by"), "auto");
  EXPECT_EQ(json.at("score"), "gradient norm");
  EXPECT_EQ(json.at("jpeg"), 0);
  EXPECT_EQ(json.at("sets").at(0).at("count"), 10);
  EXPECT_FALSE(json.at("sets").at(0).contains("auroc"));
  for (const char* name : {"auroc", "aupr", "fpr95"}) {
    EXPECT_EQ(json.at("sets").at(2).at(name).at("range").size(), 2U);
    EXPECT_TRUE(json.at("average").at(name).at("value").is_number());
  }
  EXPECT_EQ(json.at("sets").at(1).at("auroc").at("value"), result.sets[1].detection->auroc.value);
}

TEST_F(ScoreUse, has_no_detection_without_other_sets) {
  RecordingHost host;
  ScoreOptions some = options();
  some.against = "";
  const ScoreResult result = app::run(some, host);
  EXPECT_EQ(result.sets.size(), 1U);
  EXPECT_FALSE(result.average);
}

// Made images stand for data here: as many as are asked for, and the reference behind them.
TEST_F(ScoreUse, by_typicality_is_the_distance_from_data_that_are_not_scored) {
  RecordingHost host;
  ScoreOptions plain = options();
  plain.data = "constant";
  plain.count = 60;
  const ScoreResult computed = app::run(plain, host);
  ScoreOptions typical = plain;
  typical.by = ScoreKind::typicality;
  typical.count = 30;
  const ScoreResult result = app::run(typical, host);
  const std::vector<double>& all = computed.sets[0].scores;
  const Typicality expected(std::span<const double>(all).subspan(30));
  ASSERT_EQ(result.sets[0].scores.size(), 30U);
  for (size_t i = 0; i < 30; ++i) {
    EXPECT_NEAR(result.sets[0].scores[i], expected(all[i]), 1e-3);
    EXPECT_NEAR(result.sets[1].scores[i], expected(computed.sets[1].scores[i]), 1e-3);
  }
  const auto json = nlohmann::json::parse(content_of(folder_ / "out" / "scores.json"));
  EXPECT_EQ(json.at("score"), "atypicality of the gradient norm");
}

TEST_F(ScoreUse, keeps_half_of_a_small_set_aside_for_typicality) {
  RecordingHost host;
  MadeSet many;
  many.count = 50;
  ScoreOptions some = options();
  some.data = write_set(folder_ / "fifty.safetensors", many).string();
  some.by = ScoreKind::norm_typicality;
  some.count = 500;
  const ScoreResult result = app::run(some, host);
  EXPECT_EQ(result.sets[0].scores.size(), 25U);
  many.count = 30;
  some.data = write_set(folder_ / "thirty.safetensors", many).string();
  EXPECT_NE(hint_of([&] { app::run(some, host); }).find("more data"), std::string::npos);
}

TEST_F(ScoreUse, re_encodes_other_sets_but_not_the_data) {
  RecordingHost host;
  ScoreOptions some = options();
  const ScoreResult plain = app::run(some, host);
  some.jpeg = 20;
  const ScoreResult recoded = app::run(some, host);
  EXPECT_EQ(recoded.sets[0].scores, plain.sets[0].scores);
  EXPECT_NE(recoded.sets[1].scores, plain.sets[1].scores);
}

TEST_F(ScoreUse, refuses_an_energy_of_a_model_without_one) {
  RecordingHost host;
  ScoreOptions some = options();
  some.by = ScoreKind::energy;
  EXPECT_EQ(hint_of([&] { app::run(some, host); }), "choose {by} norm");
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
