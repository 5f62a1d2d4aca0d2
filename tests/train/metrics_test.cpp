#include "eqm/train/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/io/atomic_file.h"
#include "eqm/io/png.h"
#include "tests/support/event_decoder.h"
#include "tests/support/made_picture.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

using Json = nlohmann::json;
using Steps = std::vector<int64_t>;
using Values = std::vector<double>;

class Metrics : public ::testing::Test {
 protected:
  std::vector<Json> lines() const {
    std::vector<Json> all;
    for (const std::string& line : read_lines(paths_.metrics())) all.push_back(Json::parse(line));
    return all;
  }

  // The events of every file, in the order of the names.
  std::vector<std::vector<Event>> events() const {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path().filename().string().starts_with("events.out.tfevents")) {
        files.insert(entry.path());
      }
    }
    std::vector<std::vector<Event>> all;
    for (const auto& file : files) all.push_back(read_events(file));
    return all;
  }

  TemporaryFolder folder_;
  RunPaths paths_ = {.folder = folder_.path()};
};

TEST_F(Metrics, are_lines_of_json) {
  MetricsLog log(paths_, 0);
  log.write(1, {{"loss", 0.5}, {"lr", 1e-4}});
  log.write(2, {{"held_out_loss/gamma_0.3", 2}});
  ASSERT_EQ(lines().size(), 2U);
  EXPECT_EQ(lines()[0], (Json{{"step", 1}, {"loss", 0.5}, {"lr", 1e-4}}));
  EXPECT_EQ(lines()[1], (Json{{"step", 2}, {"held_out_loss/gamma_0.3", 2.0}}));
}

TEST_F(Metrics, are_read_back_by_name) {
  MetricsLog log(paths_, 0);
  log.write(1, {{"loss", 0.1}});
  log.write(1, {{"held_out_loss", 7}});
  log.write(5, {{"loss", 1.0 / 3}});
  const MetricSeries loss = read_metric(paths_, "loss");
  EXPECT_EQ(loss.steps, (Steps{1, 5}));
  EXPECT_EQ(loss.values, (Values{0.1, 1.0 / 3}));
  EXPECT_EQ(read_metric(paths_, "held_out_loss").values, Values{7});
  EXPECT_TRUE(read_metric(paths_, "speed").values.empty());
}

TEST_F(Metrics, that_are_not_finite_are_null_and_not_read) {
  MetricsLog log(paths_, 0);
  log.write(1, {{"loss", std::nan("")}, {"lr", 1}});
  log.write(2, {{"loss", -std::numeric_limits<double>::infinity()}});
  log.write(3, {{"loss", 4}});
  EXPECT_TRUE(lines()[0].at("loss").is_null());
  EXPECT_TRUE(lines()[1].at("loss").is_null());
  EXPECT_EQ(read_metric(paths_, "loss").steps, Steps{3});
  EXPECT_EQ(read_metric(paths_, "lr").values, Values{1});
}

TEST_F(Metrics, that_are_not_finite_count_as_logged) {
  EXPECT_FALSE(is_logged(paths_, "loss", 1));
  MetricsLog log(paths_, 0);
  log.write(1, {{"loss", std::nan("")}, {"lr", 1}});
  log.write(2, {{"loss", 4}});
  EXPECT_TRUE(is_logged(paths_, "loss", 1));
  EXPECT_TRUE(is_logged(paths_, "loss", 2));
  EXPECT_FALSE(is_logged(paths_, "loss", 3));
  EXPECT_FALSE(is_logged(paths_, "lr", 2));
}

TEST_F(Metrics, of_later_steps_are_dropped_when_a_run_resumes) {
  {
    MetricsLog log(paths_, 0);
    for (int64_t step = 1; step <= 5; ++step) log.write(step, {{"loss", 10.0}});
    log.write(3, {{"held_out_loss", 3}});
  }
  {
    MetricsLog log(paths_, 3);
    log.write(4, {{"loss", 20}});
  }
  EXPECT_EQ(read_metric(paths_, "loss").steps, (Steps{1, 2, 3, 4}));
  EXPECT_EQ(read_metric(paths_, "loss").values, (Values{10, 10, 10, 20}));
  EXPECT_EQ(read_metric(paths_, "held_out_loss").steps, Steps{3});
}

TEST_F(Metrics, from_before_a_run_begins_anew_are_dropped) {
  { MetricsLog(paths_, 0).write(1, {{"loss", 10}}); }
  MetricsLog log(paths_, 0);
  EXPECT_TRUE(lines().empty());
}

TEST_F(Metrics, of_a_torn_or_foreign_line_are_dropped_when_a_run_resumes) {
  write_file(paths_.metrics(),
             "{\"step\": 1, \"loss\": 3}\nnonsense\n{\"loss\": 4}\n[5]\n{\"step\": \"x\"}\n"
             "{\"step\": 2, \"loss\": 6}\n{\"step\": 3, \"lo");
  MetricsLog log(paths_, 2);
  log.write(3, {{"loss", 7}});
  EXPECT_EQ(read_metric(paths_, "loss").steps, (Steps{1, 2, 3}));
  EXPECT_EQ(read_metric(paths_, "loss").values, (Values{3, 6, 7}));
  EXPECT_EQ(lines().size(), 3U);
}

TEST_F(Metrics, reading_passes_over_lines_that_are_not_ours) {
  write_file(paths_.metrics(),
             "{\"step\": 1, \"loss\": 3}\nnonsense\n\n[1, 2]\n{\"step\": 2, \"loss\": \"low\"}\n"
             "{\"step\": 3, \"loss\": 4}\n{\"step\": 4, \"lo");
  EXPECT_EQ(read_metric(paths_, "loss").steps, (Steps{1, 3}));
}

TEST_F(Metrics, of_a_run_without_a_file_are_none) {
  EXPECT_TRUE(read_metric(paths_, "loss").values.empty());
  EXPECT_TRUE(read_metric({.folder = folder_ / "absent"}, "loss").steps.empty());
}

TEST_F(Metrics, are_also_events) {
  MetricsLog log(paths_, 0);
  log.write(3, {{"loss", 0.5}, {"held_out_loss/gamma_0.3", 2}});
  log.write(4, {{"loss", std::nan("")}});
  ASSERT_EQ(events().size(), 1U);
  const std::vector<Event> found = events()[0];
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[0].file_version, "brain.Event:2");
  EXPECT_EQ(found[2].tag, "loss");
  EXPECT_EQ(found[2].step, 3);
  EXPECT_EQ(found[2].value, 0.5F);
  EXPECT_GT(found[2].wall_time, 1.6e9);
  EXPECT_EQ(found[3].tag, "held_out_loss/gamma_0.3");
  EXPECT_EQ(found[3].value, 2.0F);
  EXPECT_EQ(found[4].step, 4);
  EXPECT_TRUE(std::isnan(found[4].value));
}

TEST_F(Metrics, of_a_resumed_run_void_the_events_after_the_checkpoint) {
  {
    MetricsLog log(paths_, 0);
    for (int64_t step = 1; step <= 5; ++step) log.write(step, {{"loss", 10.0}});
  }
  MetricsLog(paths_, 3).write(4, {{"loss", 20}});
  ASSERT_EQ(events().size(), 2U);
  const std::vector<Event> resumed = events()[1];
  ASSERT_EQ(resumed.size(), 3U);
  EXPECT_EQ(resumed[1].session_status, 1);
  EXPECT_EQ(resumed[1].step, 4);  // from here on the older file is outdated
  EXPECT_EQ(resumed[2].step, 4);
  EXPECT_EQ(resumed[2].value, 20.0F);
}

TEST_F(Metrics, take_pictures_along) {
  MetricsLog log(paths_, 0);
  Image picture = plain_image(5, 3, 3, 40);
  picture.pixels[7] = 250;
  log.image(6, "samples", picture);
  const std::vector<Event> found = events().at(0);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[2].tag, "samples");
  EXPECT_EQ(found[2].step, 6);
  EXPECT_EQ(found[2].width, 5);
  EXPECT_EQ(found[2].height, 3);
  EXPECT_EQ(found[2].colorspace, 3);
  const auto bytes = std::as_bytes(std::span(found[2].png));
  EXPECT_EQ(decode_png(bytes, "event").pixels, picture.pixels);
  EXPECT_TRUE(lines().empty());
}

}  // namespace
}  // namespace eqm::test
