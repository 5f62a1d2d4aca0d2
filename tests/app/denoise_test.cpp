#include "eqm/app/denoise.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/app/app_models.h"
#include "tests/app/hint_of.h"
#include "tests/app/recording_host.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

using app::DenoiseOptions;
using app::DenoiseResult;

class DenoiseUse : public ::testing::Test {
 protected:
  DenoiseOptions options() const {
    DenoiseOptions options;
    options.model = model_;
    options.data = data_;
    options.count = 4;
    options.descent.rule = RuleKind::gradient_descent;
    options.descent.eta = 0.01;
    options.descent.limit = 2;
    options.out = (folder_ / "out").string();
    return options;
  }

  TemporaryFolder folder_;
  std::string model_ = write_picture_model(folder_ / "model.safetensors");
  std::string data_ = write_set(folder_ / "data.safetensors", {}).string();
};

TEST_F(DenoiseUse, writes_the_files_it_names_and_compares_with_the_clean_images) {
  RecordingHost host;
  const DenoiseResult result = app::run(options(), host);
  EXPECT_EQ(result.asked, 4);
  EXPECT_EQ(result.done, 4);
  EXPECT_EQ(result.mean_steps, 2);
  ASSERT_TRUE(result.psnr);
  EXPECT_GT(result.psnr->before, 0);
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(result.files, (std::vector<std::string>{"denoise.png", "denoise.csv", "original/",
                                                    "noised/", "denoised/"}));
  for (const std::string& name : result.files) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / name)) << name;
  }
}

TEST_F(DenoiseUse, images_as_they_are_have_nothing_to_compare_with) {
  RecordingHost host;
  DenoiseOptions as_is = options();
  as_is.gamma = 1;
  as_is.pictures = false;
  const DenoiseResult result = app::run(as_is, host);
  EXPECT_FALSE(result.psnr);
  EXPECT_EQ(result.files, (std::vector<std::string>{"denoise.png", "denoise.csv"}));
}

TEST_F(DenoiseUse, a_stop_before_the_first_image_leaves_nothing) {
  RecordingHost host(/*stop_after=*/3);
  DenoiseOptions endless = options();
  endless.descent.eta = 1e-9;
  endless.descent.limit = 1000000;
  const DenoiseResult result = app::run(endless, host);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.asked, 4);
  EXPECT_EQ(result.done, 0);
  EXPECT_TRUE(result.files.empty());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(DenoiseUse, refuses_missing_images_and_flows_and_names_options_by_key) {
  RecordingHost host;
  DenoiseOptions none = options();
  none.data = "";
  EXPECT_EQ(hint_of([&] { app::run(none, host); }), "give them by {data}");
  DenoiseOptions flow = options();
  flow.model = write_picture_model(folder_ / "flow.safetensors", ObjectiveKind::fm);
  expect_error(ErrorKind::usage, "has to be told how noisy", [&] { app::run(flow, host); });
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

}  // namespace
}  // namespace eqm::test
