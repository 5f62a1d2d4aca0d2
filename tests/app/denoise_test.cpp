#include "eqm/app/denoise.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/data/open_source.h"
#include "eqm/io/jsonl.h"
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
  EXPECT_EQ(result.files,
            (std::vector<std::string>{"denoise.png", "denoise.csv", "original/", "noised/",
                                      "samples.jsonl", "grid.png", "denoised/"}));
  for (const std::string& name : result.files) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / name)) << name;
  }
}

TEST_F(DenoiseUse, is_guided_towards_a_class_and_not_towards_none) {
  const auto after = [&](double scale) {
    DenoiseOptions guided = options();
    guided.label = "1";
    guided.guidance.scale = scale;
    RecordingHost host;
    return app::run(guided, host).psnr->after;
  };
  EXPECT_NE(after(30), after(1));
  DenoiseOptions free = options();
  free.label = "null";
  free.guidance.scale = 2;
  RecordingHost host;
  EXPECT_EQ(hint_of([&] { app::run(free, host); }),
            "name a class by {label}, or leave {guidance} at 1");
}

TEST_F(DenoiseUse, images_as_they_are_have_nothing_to_compare_with) {
  RecordingHost host;
  DenoiseOptions as_is = options();
  as_is.gamma = 1;
  as_is.files.pictures = false;
  const DenoiseResult result = app::run(as_is, host);
  EXPECT_FALSE(result.psnr);
  EXPECT_EQ(result.files,
            (std::vector<std::string>{"denoise.png", "denoise.csv", "samples.jsonl", "grid.png"}));
}

TEST_F(DenoiseUse, writes_what_samples_are_written_as_with_the_labels_of_the_images) {
  RecordingHost host;
  DenoiseOptions all = options();
  all.files.npz = (folder_ / "denoised.npz").string();
  all.files.class_folders = all.files.trace = true;
  const DenoiseResult result = app::run(all, host);
  EXPECT_EQ(result.npz_images, 4);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/trace.png"));
  const SourcePtr images = open_source(all.files.npz, {});
  const SourcePtr folders = open_source((folder_ / "out/denoised").string(), {});
  ASSERT_EQ(images->size(), 4);
  ASSERT_EQ(folders->size(), 4);
  std::multiset<std::string> in_lines, in_folders;
  for (const std::string& line : read_lines(folder_ / "out/samples.jsonl")) {
    const auto sample = nlohmann::json::parse(line);
    in_lines.insert(sample.at("label"));
    const int64_t number = images->get(sample.at("sample")).label;
    EXPECT_EQ("class " + std::to_string(number), sample.at("label"));
  }
  for (int64_t i = 0; i < 4; ++i) {
    in_folders.insert(folders->class_names().at(static_cast<size_t>(folders->get(i).label)));
  }
  EXPECT_EQ(in_folders, in_lines);
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

TEST_F(DenoiseUse, starts_a_flow_from_images_as_from_noise_and_says_so) {
  RecordingHost host;
  DenoiseOptions flow = options();
  flow.descent = {.limit = 3};
  flow.model = write_picture_model(folder_ / "flow.safetensors", ObjectiveKind::fm);
  EXPECT_EQ(app::run(flow, host).done, 4);
  EXPECT_NE(host.logged().find("fm takes whatever it starts from for pure noise"),
            std::string::npos)
      << host.logged();
}

TEST_F(DenoiseUse, refuses_missing_images_and_names_options_by_key) {
  RecordingHost host;
  DenoiseOptions none = options();
  none.data = "";
  EXPECT_EQ(hint_of([&] { app::run(none, host); }), "give them by {data}");
  DenoiseOptions misnamed = options();
  misnamed.files.npz = "denoised.zip";
  expect_error(ErrorKind::usage, "does not end with .npz", [&] { app::run(misnamed, host); });
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

}  // namespace
}  // namespace eqm::test
