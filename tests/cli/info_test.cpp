// eqm info: what reaches the terminal. What it finds out is tested in tests/app/info_test.cpp.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "eqm/io/png.h"
#include "tests/cli/run_program.h"
#include "tests/support/made_picture.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class InfoCli : public ::testing::Test {
 protected:
  ProgramResult info(const std::string& what) {
    return run_program({"info", what}, {.folder = folder_.path()});
  }

  void expect_lines(const std::string& what, const Words& parts) {
    SCOPED_TRACE(what);
    const ProgramResult result = info(what);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    for (const std::string& part : parts) {
      EXPECT_TRUE(contains(result.output, part)) << "'" << part << "' is not in\n" << result.output;
    }
  }

  void expect_failure(const std::string& what, int exit_code, const std::string& part) {
    SCOPED_TRACE(what);
    const ProgramResult result = info(what);
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_TRUE(contains(result.errors, part)) << result.errors;
    EXPECT_TRUE(contains(result.errors, "hint: ")) << result.errors;
  }

  TemporaryFolder folder_;
};

TEST_F(InfoCli, installed_data_sets_tell_of_both_parts) {
  if (!fs::exists("/usr/share/datasets/fashion-mnist")) {
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  }
  expect_lines("fashion-mnist",
               {"60000 to train on, 10000 to test with", "28x28 pixels, grey", "10: ", "coat"});
}

TEST_F(InfoCli, options_tell_whose_they_are_and_what_they_set) {
  write_file(folder_ / "mine.toml", "base = \"other.toml\"\n[training]\nsteps = 77\n");
  write_file(folder_ / "other.toml", "[training]\nsteps = 5\nbatch = 3\n");
  expect_lines("mine.toml", {"eqm train", "--steps '77'", "--batch '3'", "--recipe mine.toml"});
  expect_lines("cifar10-s2", {"eqm train", "--model 'S/2'", "'data/cifar10'"});
  write_file(folder_ / "wrong.toml", "[training]\nstepps = 77\n");
  expect_failure("wrong.toml", 3, "stepps");
}

TEST_F(InfoCli, folders_of_results_tell_who_wrote_them) {
  ASSERT_EQ(run_program({"sample", "fashion-xs4", "--labels", "bag,coat", "--per-class", "1",
                         "--limit", "4", "--seed", "7", "--out", "s"},
                        {.folder = folder_.path()})
                .exit_code,
            0);
  expect_lines("s", {"samples, by `eqm sample`", "samples        2: ", "Seed           '7'",
                     "grid.png", "pictures/, samples.jsonl"});
  fs::create_directory(folder_ / "d");
  write_file(folder_ / "d/denoise.csv", "image,source,steps\n0,a.png,4\n1,b.png,4\n");
  expect_lines("d", {"denoised images, by `eqm denoise`", "images         2\n"});
  fs::create_directory(folder_ / "e");
  write_file(folder_ / "e/evaluation.json", "{}");
  write_file(folder_ / "e/evaluation.png", "damaged");
  expect_lines("e", {"an evaluation, by `eqm evaluate`", "evaluation.json, evaluation.png"});
  fs::create_directory(folder_ / "l");
  write_file(folder_ / "l/config.toml", "");
  write_png(folder_ / "l/landscape.png", plain_image(4, 4, 3, 9), {{"Data", "moons"}});
  expect_lines("l", {"a landscape, by `eqm landscape`", "Data           'moons'", "config.toml"});
}

TEST_F(InfoCli, control_characters_of_names_do_not_reach_the_terminal) {
  const std::string evil = "a\x1b[31m\nb";
  fs::create_directories(folder_ / "set" / fs::path(evil));
  write_png(folder_ / "set" / fs::path(evil) / fs::path(evil + ".png"), plain_image(4, 4, 1, 9));
  write_png(folder_ / (evil + ".png"), plain_image(4, 4, 1, 9));
  for (const std::string& what : {std::string("set"), evil + ".png"}) {
    const ProgramResult result = info(what);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_FALSE(contains(result.output, "\x1b")) << result.output;
    EXPECT_TRUE(contains(result.output, "a\\x1b[31m\\x0ab")) << result.output;
  }
}

TEST_F(InfoCli, what_it_does_not_know_is_refused_with_a_hint) {
  write_file(folder_ / "text", "hello");
  expect_failure("text", 3, "'text' is not a file that eqm knows");
  write_file(folder_ / "empty.npz", "");
  expect_failure("empty.npz", 3, "empty.npz");
  expect_failure("absent.npz", 4, "cannot open 'absent.npz'");
  expect_failure("cifar10", 2, "'cifar10'");
  expect_failure("fashion-xs5", 2, "'fashion-xs5'");
}

}  // namespace
}  // namespace eqm::test
