// The program from a tar of pictures to latents, a model of them, and pictures again.
#include <filesystem>

#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "eqm/io/npz.h"
#include "tests/cli/run_program.h"
#include "tests/support/golden_folder.h"
#include "tests/support/made_picture.h"
#include "tests/support/tar_builder.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class EncodeCli : public ::testing::Test {
 protected:
  // Pictures of several sizes in two classes; an autoencoder that takes sides of eight pixels.
  EncodeCli() {
    std::string tar;
    for (int i = 0; i < 14; ++i) {
      const Image image = plain_image(20 + i, 24, 3, static_cast<uint8_t>(40 + 10 * i));
      tar += tar_file((i % 2 == 0 ? "cat/" : "dog/") + std::to_string(i) + ".jpg", jpeg_of(image));
    }
    write_file(folder_ / "train.tar", tar + tar_end());
    vae_ = (golden_root() / "nets/vae/vae_b.weights.safetensors").string();
  }

  ProgramResult run(const Words& arguments) {
    return run_program(arguments, {.folder = folder_.path()});
  }
  std::string succeed(const Words& arguments) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  }
  void expect_failure(const Words& arguments, int exit_code, const std::string& part) {
    SCOPED_TRACE(part);
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    Words lines = result.error_lines();
    std::erase_if(lines, [](const auto& line) { return line.starts_with("eqm: warning: "); });
    ASSERT_EQ(lines.size(), 2u) << result.errors;
    EXPECT_NE(lines[0].find(part), std::string::npos) << lines[0];
    EXPECT_TRUE(lines[1].starts_with("hint: ")) << lines[1];
  }
  // A classifier of such pictures, trained for a step.
  std::string judge() {
    if (!fs::exists(folder_ / "judge")) {
      succeed({"train",   "--data",  "train.tar", "--size",      "16",         "--model",
               "convnet", "--width", "4",         "--objective", "classifier", "--steps",
               "1",       "--batch", "4",         "--held-out",  "2",          "--threads",
               "1",       "--out",   "judge"});
    }
    return "judge";
  }
  Words encode(const Words& more = {}) const {
    Words words = {"encode", "train.tar", "--size",      "16", "--vae", vae_,
                   "--out",  "latents",   "--per-shard", "5",  "--flip"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  TemporaryFolder folder_;
  std::string vae_;
};

TEST_F(EncodeCli, tells_of_latents_that_cannot_be_trained_on) {
  write_file(folder_ / "wide.tar",
             tar_file("cat/1.jpg", jpeg_of(plain_image(16, 24, 3, 90))) + tar_end());
  const ProgramResult wide =
      run({"encode", "wide.tar", "--vae", vae_, "--out", "wide", "--threads", "1"});
  EXPECT_EQ(wide.exit_code, 0) << wide.errors;
  EXPECT_NE(wide.errors.find("square latents only"), std::string::npos) << wide.errors;
  const ProgramResult square = run(encode());
  EXPECT_EQ(square.exit_code, 0) << square.errors;
  EXPECT_EQ(square.errors.find("square"), std::string::npos) << square.errors;
}

TEST_F(EncodeCli, goes_from_a_tar_of_pictures_to_samples_for_an_evaluator) {
  EXPECT_NE(succeed(encode()).find("pictures           14"), std::string::npos);
  succeed(encode({"--part", "test"}));
  const std::string checked = succeed({"encode", "--check", "--out", "latents"});
  for (const char* part : {"train", "test"}) {
    EXPECT_NE(checked.find(part), std::string::npos) << checked;
  }
  EXPECT_NE(checked.find("3 of 3 shards, whole"), std::string::npos) << checked;
  succeed({"train",          "--data", "latents",   "--flip", "--model", "XS/1", "--width",    "16",
           "--depth",        "1",      "--heads",   "1",      "--steps", "3",    "--batch",    "4",
           "--sample-every", "3",      "--limit",   "2",      "--vae",   vae_,   "--held-out", "2",
           "--out",          "run",    "--threads", "1"});
  EXPECT_TRUE(fs::exists(folder_ / "run/samples/step-0000003.png"));
  succeed({"sample", "--model", "run", "--vae", vae_, "--per-class", "2", "--limit", "2", "--npz",
           "samples.npz", "--threads", "1", "--out", "drawn"});
  EXPECT_TRUE(fs::exists(folder_ / "drawn/grid.png"));
  const NpzFile npz = NpzFile::open(folder_ / "samples.npz");
  const auto samples = npz.read("arr_0", 1 << 20);
  EXPECT_EQ(samples.shape, (std::vector<int64_t>{4, 16, 16, 3}));

  // Pictures and their latents are the same to whoever scores or denoises them.
  succeed({"denoise", "--model", "run", "--data", "train.tar", "--vae", vae_, "--limit", "2",
           "--count", "3", "--threads", "1", "--out", "denoised"});
  EXPECT_TRUE(fs::exists(folder_ / "denoised/denoise.png"));
  const std::string by_picture =
      succeed({"score", "--model", "run", "--data", "train.tar", "--against", "latents", "--vae",
               vae_, "--threads", "1", "--out", "scores"});
  EXPECT_NE(by_picture.find("latents"), std::string::npos);
  succeed({"evaluate", "--model", "run", "--features", judge(), "--reference", "train.tar", "--vae",
           vae_, "--samples", "4", "--limit", "2", "--threads", "1", "--out", "evaluated"});
  EXPECT_TRUE(fs::exists(folder_ / "evaluated/evaluation.json"));
  succeed({"sweep", "--model", "run", "--features", judge(), "--reference", "train.tar", "--vae",
           vae_, "--samples", "4", "--grid", "limit=2,3", "--threads", "1", "--out", "swept"});
  // Without the autoencoder there are latents to look at, and none for an evaluator.
  succeed({"sample", "--model", "run", "--per-class", "1", "--limit", "2", "--threads", "1",
           "--out", "latent-pictures"});
  expect_failure({"sample", "--model", "run", "--npz", "x.npz", "--out", "nowhere"}, 2,
                 "this model makes none");
}

TEST_F(EncodeCli, trains_on_pictures_that_it_encodes_itself) {
  succeed({"train", "--data",    "train.tar", "--size",         "16", "--vae",      vae_, "--model",
           "XS/1",  "--width",   "16",        "--depth",        "1",  "--heads",    "1",  "--steps",
           "2",     "--batch",   "4",         "--sample-every", "0",  "--held-out", "2",  "--out",
           "run",   "--threads", "1"});
  EXPECT_NE(succeed({"info", "run"}).find("4 x 2 x 2"), std::string::npos);
}

TEST_F(EncodeCli, says_what_is_wrong) {
  expect_failure({"encode", "train.tar", "--out", "latents"}, 2, "no autoencoder was given");
  expect_failure({"encode", "--vae", vae_}, 2, "no pictures were given");
  expect_failure({"encode", "train.tar", "--vae", vae_, "--out", "latents"}, 3, "");
  expect_failure({"encode", "train.tar", "--size", "12", "--vae", vae_, "--out", "latents"}, 2,
                 "sides divide by 8");
  expect_failure({"encode", "train.tar", "--size", "16", "--vae", "train.tar", "--out", "latents"},
                 3, "train.tar");
  expect_failure({"encode", "train.tar", "--size", "16", "--vae", "absent", "--out", "latents"}, 4,
                 "absent");
  expect_failure({"encode", "--check", "--out", "nothing"}, 3, "holds no latents");
  expect_failure({"encode", "train.tar", "--size", "16", "--vae", vae_, "--out", "train.tar"}, 2,
                 "among the pictures");
  succeed(encode());
  expect_failure(encode({"--stored", "float32"}), 2, "holds latents that differ in --stored");
  fs::remove(folder_ / "latents/train/shard-00001.safetensors");
  expect_failure({"train", "--data", "latents", "--out", "run"}, 3, "is missing");
  succeed({"encode", "train.tar", "--size", "16", "--vae", vae_, "--out", "plain"});
  expect_failure(
      {"train", "--data", "plain", "--flip", "--held-out", "0", "--model", "XS/1", "--out", "run"},
      2, "without those of mirrored pictures");
}

}  // namespace
}  // namespace eqm::test
