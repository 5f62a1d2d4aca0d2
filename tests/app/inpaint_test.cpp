#include "eqm/app/inpaint.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/npz.h"
#include "eqm/io/png.h"
#include "tests/app/app_models.h"
#include "tests/app/hint_of.h"
#include "tests/app/recording_host.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

using app::InpaintOptions;
using app::InpaintResult;
using app::KnownPixels;

class InpaintUse : public ::testing::Test {
 protected:
  InpaintOptions options() const {
    InpaintOptions options;
    options.model = model_;
    options.data = data_;
    options.count = 3;
    options.mask = "left";
    options.descent.rule = RuleKind::gradient_descent;
    options.descent.eta = 0.01;
    options.descent.limit = 2;
    options.out = (folder_ / "out").string();
    return options;
  }

  Image picture(const std::string& stage, const std::string& name) const {
    return read_png(folder_ / "out" / stage / name);
  }

  TemporaryFolder folder_;
  std::string model_ = write_picture_model(folder_ / "model.safetensors");
  std::string data_ = write_set(folder_ / "data.safetensors", {}).string();
};

TEST_F(InpaintUse, holds_known_pixels_and_changes_missing_ones) {
  for (const KnownPixels known : {KnownPixels::noised, KnownPixels::clean}) {
    RecordingHost host;
    InpaintOptions wanted = options();
    wanted.known = known;
    const InpaintResult result = app::run(wanted, host);
    EXPECT_EQ(result.asked, 3);
    EXPECT_EQ(result.done, 3);
    EXPECT_EQ(result.mean_steps, 2);
    EXPECT_EQ(result.missing, 0.5);
    EXPECT_TRUE(result.psnr);
    EXPECT_EQ(result.files, (std::vector<std::string>{"inpaint.png", "inpaint.csv", "given/",
                                                      "masked/", "filled/"}));
    for (const char* name : {"000000.png", "000002.png"}) {
      const Image given = picture("given", name), filled = picture("filled", name);
      int64_t changed = 0;
      for (size_t i = 0; i < given.pixels.size(); ++i) {
        const bool missing = i % 8 < 4;
        EXPECT_TRUE(missing || filled.pixels[i] == given.pixels[i]) << i;
        changed += missing && filled.pixels[i] != given.pixels[i] ? 1 : 0;
      }
      EXPECT_GT(changed, 16) << "half of the picture was noise";
    }
  }
}

TEST_F(InpaintUse, several_fillings_of_an_image_differ) {
  RecordingHost host;
  InpaintOptions wanted = options();
  wanted.fills = 2;
  wanted.npz = (folder_ / "filled.npz").string();
  const InpaintResult result = app::run(wanted, host);
  EXPECT_EQ(result.done, 6);
  EXPECT_NE(picture("filled", "000001-0.png").pixels, picture("filled", "000001-1.png").pixels);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "filled.npz"));
}

TEST_F(InpaintUse, a_stop_before_the_first_image_leaves_nothing) {
  RecordingHost host(/*stop_after=*/3);
  InpaintOptions endless = options();
  endless.descent.eta = 1e-9;
  endless.descent.limit = 1000000;
  const InpaintResult result = app::run(endless, host);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.done, 0);
  EXPECT_TRUE(result.files.empty());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(InpaintUse, refuses_what_cannot_be_filled_in_and_leaves_nothing) {
  RecordingHost host;
  const auto refuse = [&](const std::string& part, const auto& change) {
    InpaintOptions wanted = options();
    change(wanted);
    expect_error(ErrorKind::usage, part, [&] { app::run(wanted, host); });
  };
  refuse("no images were given", [](InpaintOptions& wanted) { wanted.data = ""; });
  refuse("no share", [](InpaintOptions& wanted) { wanted.mask = "left:2"; });
  refuse(".npz", [](InpaintOptions& wanted) { wanted.npz = "x.zip"; });
  refuse("no class 'hat'", [](InpaintOptions& wanted) { wanted.label = "hat"; });
  refuse("needs the noise level", [&](InpaintOptions& wanted) {
    wanted.model = write_picture_model(folder_ / "flow.safetensors", ObjectiveKind::fm);
  });
  refuse("compares energies", [&](InpaintOptions& wanted) {
    wanted.model = write_picture_model(folder_ / "dot.safetensors", ObjectiveKind::eqm_dot);
    wanted.descent = {};
    wanted.descent.rule = RuleKind::backtracking;
  });
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

}  // namespace
}  // namespace eqm::test
