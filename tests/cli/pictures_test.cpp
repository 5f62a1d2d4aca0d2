// Pictures that verbs show to a model: what denoise leaves behind, and colours that do not fit.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/png.h"
#include "tests/cli/run_program.h"
#include "tests/support/content_of.h"
#include "tests/support/made_picture.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class PicturesCli : public ::testing::Test {
 protected:
  // Two folders of four 28x28 pictures: bright ones, and orange ones.
  void SetUp() override {
    for (const char* name : {"grey", "colour"}) fs::create_directory(folder_ / name);
    for (int i = 0; i < 4; ++i) {
      const auto level = static_cast<uint8_t>(120 + 20 * i);
      Image orange = plain_image(28, 28, 3, level);
      for (size_t k = 2; k < orange.pixels.size(); k += 3) orange.pixels[k] = 10;
      write_png(folder_ / "grey" / fs::path(name_of(i)), plain_image(28, 28, 1, level));
      write_png(folder_ / "colour" / fs::path(name_of(i)), orange);
    }
  }

  static std::string name_of(int i) { return "p" + std::to_string(i) + ".png"; }

  ProgramResult run(const Words& arguments) {
    return run_program(arguments, {.folder = folder_.path()});
  }

  ProgramResult denoise(const Words& more) {
    Words words = {"denoise", "--model", "fashion-xs4", "--label", "null", "--limit", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  TemporaryFolder folder_;
};

TEST_F(PicturesCli, denoise_writes_every_stage_of_every_picture) {
  const ProgramResult done = denoise({"--data", "grey", "--gamma", "0.5", "--out", "out"});
  ASSERT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_FALSE(contains(done.errors, "warning")) << done.errors;
  for (const char* stage : {"original", "noised", "denoised"}) {
    for (int i = 0; i < 4; ++i) {
      PngText text;
      const fs::path path =
          folder_ / "out" / fs::path(stage) / fs::path("00000" + std::to_string(i) + ".png");
      ASSERT_TRUE(fs::exists(path)) << path;
      const Image image = read_png(path, &text);
      EXPECT_EQ(image.width, 28);
      EXPECT_EQ(image.channels, 1);
      bool named = false;
      for (const auto& [keyword, value] : text) {
        named = named || (keyword == "Source" && value == "grey/" + name_of(i));
      }
      EXPECT_TRUE(named) << path;
      if (std::string(stage) != "original") continue;
      EXPECT_EQ(image.pixels, plain_image(28, 28, 1, static_cast<uint8_t>(120 + 20 * i)).pixels);
    }
  }
  EXPECT_NE(content_of(folder_ / "out/noised/000000.png"),
            content_of(folder_ / "out/denoised/000000.png"));
  EXPECT_TRUE(contains(content_of(folder_ / "out/denoise.csv"), "\n3,grey/p3.png,2,"));
  EXPECT_TRUE(fs::exists(folder_ / "out/denoise.png"));
}

TEST_F(PicturesCli, denoise_of_pictures_as_they_are_writes_two_stages) {
  const ProgramResult done = denoise({"--data", "grey", "--gamma", "1", "--out", "out"});
  ASSERT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_TRUE(fs::exists(folder_ / "out/before/000003.png"));
  EXPECT_TRUE(fs::exists(folder_ / "out/after/000003.png"));
  EXPECT_FALSE(fs::exists(folder_ / "out/original"));
  const ProgramResult none =
      denoise({"--data", "grey", "--gamma", "1", "--no-pictures", "--out", "none"});
  ASSERT_EQ(none.exit_code, 0) << none.errors;
  EXPECT_FALSE(fs::exists(folder_ / "none/after"));
}

TEST_F(PicturesCli, colours_that_a_model_does_not_know_are_told) {
  const std::string dropped = "'colour' is in colour, and ";
  const auto warns = [&](const ProgramResult& result, const std::string& part) {
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_TRUE(contains(result.errors, part)) << result.errors;
  };
  warns(denoise({"--data", "colour", "--out", "a"}), dropped + "the model's pictures are grey");
  warns(run({"score", "--model", "fashion-xs4", "--data", "grey", "--against", "colour", "--out",
             "b"}),
        dropped + "the model's pictures are grey");
  warns(run({"neighbours", "--pictures", "grey", "--data", "colour", "--out", "c"}),
        dropped + "the pictures are grey");
  warns(run({"neighbours", "--pictures", "colour", "--data", "grey", "--out", "d"}),
        "'grey' is grey, and the pictures are in colour");
  warns(run({"evaluate", "--pictures", "colour", "--reference", "grey", "--resamplings", "0",
             "--neighbours", "1", "--out", "e"}),
        dropped + "the classifier's pictures are grey");
}

TEST_F(PicturesCli, grey_that_is_stored_as_colour_is_grey) {
  fs::create_directory(folder_ / "stored");
  for (int i = 0; i < 4; ++i) {
    write_png(folder_ / "stored" / fs::path(name_of(i)), plain_image(28, 28, 3, 99));
  }
  const ProgramResult done = denoise({"--data", "stored", "--out", "out"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_FALSE(contains(done.errors, "colour")) << done.errors;
  // Grey samples in the three channels of an .npz, too.
  ASSERT_EQ(run({"sample", "fashion-xs4", "--count", "4", "--limit", "2", "--npz", "s.npz", "--out",
                 "samples"})
                .exit_code,
            0);
  const ProgramResult judged = run({"evaluate", "--pictures", "s.npz", "--reference", "grey",
                                    "--resamplings", "0", "--neighbours", "1", "--out", "e"});
  EXPECT_EQ(judged.exit_code, 0) << judged.errors;
  EXPECT_FALSE(contains(judged.errors, "colour")) << judged.errors;
}

}  // namespace
}  // namespace eqm::test
