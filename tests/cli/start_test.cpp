// How the program starts: output that needs no computation is stored and needs no LibTorch.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "tests/cli/run_program.h"
#include "tests/support/content_of.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kModule = "libeqm_program.so";
constexpr const char* kStored = "eqm-stored-output";

// A copy of the executable in a folder where a test decides what lies beside it.
class StartCli : public ::testing::Test {
 protected:
  void SetUp() override {
    build_ = fs::path(program_path()).parent_path();
    if (!fs::exists(build_ / kModule)) GTEST_SKIP() << "the program is installed";
    fs::create_directory(folder_ / "build");
    fs::copy_file(program_path(), folder_ / "build" / "eqm");
    for (const char* shipped : {"models", "recipes"}) {
      const fs::path real = build_.parent_path() / shipped;
      if (fs::exists(real)) fs::create_directory_symlink(real, folder_ / shipped);
    }
  }

  ProgramResult run_copy(const Words& words) {
    return run_program(words, {.folder = folder_.path(), .program = folder_ / "build" / "eqm"});
  }

  TemporaryFolder folder_;
  fs::path build_;
};

TEST_F(StartCli, prints_stored_output_without_loading_the_program) {
  fs::copy_file(build_ / kStored, folder_ / "build" / kStored);
  write_file(folder_ / "build" / kModule, "no module");
  const std::vector<Words> requests = {
      {},       {"--version"},     {"--help"},         {"help", "train"},     {"sample", "--help"},
      {"list"}, {"list", "rules"}, {"list", "models"}, {"completion", "zsh"}, {"man"}};
  for (const Words& words : requests) {
    const ProgramResult result = run_copy(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_FALSE(result.output.empty());
    EXPECT_EQ(result.errors, "");
  }
  const ProgramResult sampled = run_copy({"sample"});
  EXPECT_EQ(sampled.exit_code, 4);
  EXPECT_TRUE(contains(sampled.errors, "cannot load the program")) << sampled.errors;
}

TEST_F(StartCli, stored_output_is_what_the_program_prints) {
  fs::create_symlink(build_ / kModule, folder_ / "build" / kModule);
  const std::vector<Words> requests = {
      {},     {"help", "train"}, {"sample", "--help"}, {"list", "models"}, {"completion", "bash"},
      {"man"}};
  for (const Words& words : requests) {
    const ProgramResult stored = run_program(words, {.folder = folder_.path()});
    const ProgramResult computed = run_copy(words);
    EXPECT_EQ(computed.exit_code, 0) << computed.errors;
    EXPECT_EQ(stored.output, computed.output);
  }
}

TEST_F(StartCli, damaged_stored_output_is_passed_over) {
  fs::create_symlink(build_ / kModule, folder_ / "build" / kModule);
  const std::string stored = content_of(build_ / kStored);
  for (const std::string& damaged :
       {std::string("99999999 --version\n0.0\n"), std::string("no records at all"),
        stored.substr(0, 40), std::string(" --version\n")}) {
    write_file(folder_ / "build" / kStored, damaged);
    const ProgramResult result = run_copy({"--version"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_NE(result.output, "");
    EXPECT_FALSE(contains(result.output, "0.0\n")) << result.output;
  }
}

}  // namespace
}  // namespace eqm::test
