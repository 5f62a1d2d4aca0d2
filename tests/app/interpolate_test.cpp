#include "eqm/app/interpolate.h"

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/png.h"
#include "tests/app/app_models.h"
#include "tests/app/recording_host.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

using app::InterpolateBy;
using app::InterpolateOptions;
using app::InterpolateResult;

class InterpolateUse : public ::testing::Test {
 protected:
  InterpolateOptions options(ObjectiveKind kind = ObjectiveKind::eqm) {
    InterpolateOptions options;
    options.model = write_picture_model(folder_ / "model.safetensors", kind);
    options.data = data_;
    options.pairs = 2;
    options.frames = 3;
    options.path_steps = 2;
    options.descent.eta = 1e-3;
    options.descent.limit = 2;
    options.out = (folder_ / "out").string();
    return options;
  }

  bool wrote(const std::string& name) const {
    return std::filesystem::exists(folder_ / "out" / name);
  }

  TemporaryFolder folder_;
  std::string data_ = write_set(folder_ / "data.safetensors", {}).string();
};

TEST_F(InterpolateUse, descends_from_noise_where_there_is_no_energy) {
  RecordingHost host;
  const InterpolateResult result = app::run(options(), host);
  EXPECT_EQ(result.by, InterpolateBy::noise);
  EXPECT_EQ(result.done, 2);
  EXPECT_EQ(result.mean_steps, 2);
  EXPECT_TRUE(std::isnan(result.mean_barrier));
  EXPECT_EQ(result.files,
            (std::vector<std::string>{"interpolate.png", "interpolate.csv", "frames/"}));
  for (const std::string& name : result.files) EXPECT_TRUE(wrote(name)) << name;
  EXPECT_TRUE(wrote("frames/001-004.png")) << "three frames between two ends";
}

TEST_F(InterpolateUse, relaxes_a_path_where_there_is_one) {
  RecordingHost host;
  const InterpolateResult result = app::run(options(ObjectiveKind::eqm_dot), host);
  EXPECT_EQ(result.by, InterpolateBy::path);
  EXPECT_EQ(result.mean_steps, 2);
  EXPECT_GE(result.mean_barrier, 0);
  EXPECT_TRUE(wrote("energies.svg"));
}

TEST_F(InterpolateUse, takes_its_ends_from_files_and_by_number) {
  RecordingHost host;
  InterpolateOptions wanted = options();
  app::run(wanted, host);
  std::filesystem::rename(folder_ / "out" / "frames" / "000-000.png", folder_ / "one.png");
  wanted.from = "3";
  wanted.to = (folder_ / "one.png").string();
  const InterpolateResult result = app::run(wanted, host);
  EXPECT_EQ(result.done, 1);
  EXPECT_EQ(read_png(folder_ / "out" / "frames" / "000-004.png").pixels,
            read_png(folder_ / "one.png").pixels)
      << "the ends are the images themselves";
}

TEST_F(InterpolateUse, a_stop_leaves_nothing) {
  RecordingHost host(/*stop_after=*/2);
  InterpolateOptions endless = options(ObjectiveKind::eqm_dot);
  endless.path_steps = 1'000'000;
  endless.descent.eta = 1e-9;
  const InterpolateResult result = app::run(endless, host);
  EXPECT_TRUE(result.stopped || result.done == 2);
  EXPECT_EQ(std::filesystem::exists(folder_ / "out"), result.done > 0);
}

TEST_F(InterpolateUse, refuses_ends_that_are_not_there) {
  RecordingHost host;
  const auto refuse = [&](ErrorKind kind, const std::string& part, const auto& change) {
    InterpolateOptions wanted = options();
    change(wanted);
    expect_error(kind, part, [&] { app::run(wanted, host); });
  };
  refuse(ErrorKind::usage, "no images", [](auto& wanted) { wanted.data = ""; });
  refuse(ErrorKind::usage, "one end", [](auto& wanted) { wanted.from = "1"; });
  refuse(ErrorKind::usage, "no image number 99999", [](auto& wanted) {
    wanted.from = "1";
    wanted.to = "99999";
  });
  refuse(ErrorKind::usage, "no image number -1", [](auto& wanted) {
    wanted.from = "-1";
    wanted.to = "0";
  });
  refuse(ErrorKind::io, "nowhere.png", [](auto& wanted) {
    wanted.from = "1";
    wanted.to = "nowhere.png";
  });
  refuse(ErrorKind::usage, "of no data set", [](auto& wanted) {
    wanted.data = "";
    wanted.from = wanted.to = "1";
  });
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

}  // namespace
}  // namespace eqm::test
