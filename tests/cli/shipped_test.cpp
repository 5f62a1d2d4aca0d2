// What comes with the program: models and recipes by name, lists, completions, the manual page.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "eqm/io/atomic_file.h"
#include "tests/cli/run_program.h"
#include "tests/support/content_of.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

using Words = std::vector<std::string>;

class ShippedCli : public ::testing::Test {
 protected:
  ProgramResult run(const Words& arguments) {
    return run_program(arguments, {.folder = folder_.path()});
  }

  // The lines that a shell prints; the test is skipped where there is no such shell.
  std::string in_shell(const std::string& shell, const std::string& script) {
    write_file(folder_ / "script", script);
    const std::string output = (folder_ / "said").string();
    const std::string command = "command -v " + shell + " > /dev/null || exit 99; cd " +
                                folder_.path().string() + " && " + shell + " script" + " > " +
                                output + " 2>&1";
    const int status = std::system(command.c_str());
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return exit_code_ == 99 ? "" : content_of(output);
  }

  void expect_failure(const Words& arguments, int exit_code, const std::string& part,
                      const std::string& hint) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    ASSERT_EQ(result.error_lines().size(), 2u) << result.errors;
    EXPECT_TRUE(contains(result.error_lines()[0], part)) << result.errors;
    EXPECT_TRUE(contains(result.error_lines()[1], hint)) << result.errors;
  }

  TemporaryFolder folder_;
  int exit_code_ = 0;
};

TEST_F(ShippedCli, models_are_found_by_name_from_any_folder) {
  for (const char* name : {"fashion-xs4", "fashion-xs4.safetensors"}) {
    const ProgramResult info = run({"info", name});
    EXPECT_EQ(info.exit_code, 0) << info.errors;
    EXPECT_TRUE(contains(info.output, "4.18 million")) << info.output;
  }
  const ProgramResult sampled = run({"sample", "--model", "fashion-xs4", "--labels", "bag",
                                     "--count", "1", "--limit", "2", "--out", "out"});
  EXPECT_EQ(sampled.exit_code, 0) << sampled.errors;
  const ProgramResult exported = run({"export", "fashion-classifier", "--out", "copy.safetensors"});
  EXPECT_EQ(exported.exit_code, 0) << exported.errors;
  // A folder or file of that name in the working folder comes first.
  std::filesystem::create_directory(folder_ / "fashion-xs4");
  expect_failure({"sample", "--model", "fashion-xs4"}, 3, "no model in the folder", "");
}

TEST_F(ShippedCli, the_shipped_model_stands_for_one_that_is_not_given) {
  const Words words = {"sample", "--labels", "bag", "--count", "1", "--limit", "2", "--out", "out"};
  const ProgramResult sampled = run(words);
  EXPECT_EQ(sampled.exit_code, 0) << sampled.errors;
  EXPECT_TRUE(contains(sampled.errors, "no --model was given")) << sampled.errors;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / "grid.png"));
  std::filesystem::create_directories(folder_ / "empty" / "models");
  const ProgramResult refused = run_program(
      words,
      {.folder = folder_.path(), .environment = {"EQM_SHARE=" + (folder_ / "empty").string()}});
  EXPECT_EQ(refused.exit_code, 2) << refused.errors;
  EXPECT_TRUE(contains(refused.errors, "no model was given")) << refused.errors;
}

TEST_F(ShippedCli, names_of_models_that_mean_nothing_are_refused_with_the_nearest) {
  expect_failure({"sample", "--model", "fashon-xs4"}, 2, "no model, file or folder 'fashon-xs4'",
                 "did you mean 'fashion-xs4'?");
  expect_failure({"evaluate", "--model", "fashion-xs4", "--features", "nothing"}, 2,
                 "no model, file or folder 'nothing'", "fashion-classifier");
  // Paths are for their reader to refuse.
  expect_failure({"sample", "--model", "absent.safetensors"}, 4, "cannot open", "");
  expect_failure({"sample", "--model", "absent/run"}, 4, "cannot open", "");
}

TEST_F(ShippedCli, recipes_are_found_by_name) {
  // The recipe is read: its data are asked for before anything else.
  const ProgramResult result = run({"train", "--recipe", "cifar10-s2", "--out", "run"});
  EXPECT_EQ(result.exit_code, 4) << result.errors;
  EXPECT_TRUE(contains(result.errors, "data/cifar10")) << result.errors;
  const ProgramResult below =
      run({"train", "--recipe", "ablations/fashion-fm", "--data", "./absent", "--out", "run"});
  EXPECT_TRUE(contains(below.errors, "absent")) << below.errors;
  expect_failure({"train", "--recipe", "cifar-s2"}, 2, "no recipe, file or folder 'cifar-s2'",
                 "did you mean 'cifar10-s2'?");
  expect_failure({"train", "--recipe", "absent.toml"}, 4, "cannot open 'absent.toml'", "");
}

TEST_F(ShippedCli, recipes_may_build_on_shipped_ones_by_name) {
  const auto made = [&](const std::string& text) { write_file(folder_ / "mine.toml", text); };
  made("base = \"fashion-xs4\"\n[data]\ndata = \"./absent\"\n");
  const ProgramResult result = run({"train", "--recipe", "mine.toml", "--out", "run"});
  EXPECT_EQ(result.exit_code, 4) << result.errors;
  EXPECT_TRUE(contains(result.errors, "'./absent'")) << result.errors;
  const ProgramResult info = run({"info", "mine.toml"});
  EXPECT_EQ(info.exit_code, 0) << info.errors;
  EXPECT_TRUE(contains(info.output, "--ema-warm-up")) << info.output;  // the base's
  EXPECT_TRUE(contains(info.output, "./absent")) << info.output;
  made("base = \"fashon-xs4\"\n");
  for (const Words& words : {Words{"train", "--recipe", "mine.toml"}, Words{"info", "mine.toml"}}) {
    expect_failure(words, 3, "mine.toml, line 1: there is no recipe", "'fashion-xs4'");
  }
  made("base = \"fashion-xs4\"\nstesp = 1\n");
  expect_failure({"info", "mine.toml"}, 3, "stesp", "steps");
}

TEST_F(ShippedCli, lists_what_there_is_to_choose_from) {
  const ProgramResult topics = run({"list"});
  EXPECT_EQ(topics.exit_code, 0) << topics.errors;
  const std::vector<std::pair<std::string, Words>> expected = {
      {"rules", {"auto", "nesterov", "land", "dopri5", "sde-heun"}},
      {"presets", {"XS/4", "XL/2", "unet-small", "mlp", "convnet"}},
      {"objectives", {"eqm", "eqm-dot", "fm", "classifier"}},
      {"recipes", {"fashion-xs4", "cifar10-unet", "ablations/fashion-fm"}},
      {"models", {"fashion-xs4", "fashion-classifier", "mnist-classifier"}},
      {"data", {"fashion-mnist", "mnist", "moons", "noise"}}};
  for (const auto& [topic, names] : expected) {
    EXPECT_TRUE(contains(topics.output, topic)) << topics.output;
    const ProgramResult list = run({"list", topic});
    EXPECT_EQ(list.exit_code, 0) << list.errors;
    for (const std::string& name : names) {
      // Each with a line of help.
      EXPECT_TRUE(std::regex_search("\n" + list.output, std::regex("\n" + name + " +[^ \n]")))
          << name << " is not in\n"
          << list.output;
    }
    EXPECT_FALSE(std::regex_search(list.output, std::regex("^[^ ]+ *\n"))) << list.output;
    EXPECT_FALSE(contains(list.output, "cannot be read")) << list.output;
  }
  expect_failure({"list", "ruls"}, 2, "no list of 'ruls'", "did you mean 'rules'?");
}

TEST_F(ShippedCli, bash_completes_verbs_options_and_values) {
  const ProgramResult script = run({"completion", "bash"});
  ASSERT_EQ(script.exit_code, 0) << script.errors;
  const auto completed = [&](const std::string& words) {
    return in_shell("bash", script.output + "COMP_WORDS=(" + words +
                                ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                                "_eqm\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
  };
  const std::string verbs = completed("eqm s");
  if (exit_code_ == 99) GTEST_SKIP() << "there is no bash";
  EXPECT_EQ(verbs, "sample\nscore\nsweep\n");
  EXPECT_EQ(completed("eqm sample --guid"), "--guidance\n--guided-channels\n");
  EXPECT_EQ(completed("eqm sample --rule la"), "langevin\nland\n");
  EXPECT_EQ(completed("eqm sample --rule '=' la"), "langevin\nland\n");
  EXPECT_EQ(completed("eqm --quiet sample --no-tr"), "--no-trace\n");
  EXPECT_EQ(completed("eqm train --recipe fashion-xs4-"), "fashion-xs4-longer\n");
  EXPECT_EQ(completed("eqm train --model XL/"), "XL/1\nXL/2\nXL/4\nXL/8\n");
  EXPECT_EQ(completed("eqm info fashion-xs"), "\n") << "anything may be described";
  EXPECT_EQ(completed("eqm sample --model scr"), "script\n") << "files, too";
  EXPECT_EQ(completed("eqm list pre"), "presets\n");
}

// A program in a folder of its own, with a recipe whose name means something to shells.
TEST_F(ShippedCli, completes_names_of_any_letters) {
  const std::filesystem::path program = program_path();
  const auto module = program.parent_path() / "libeqm_program.so";
  if (!std::filesystem::exists(module)) GTEST_SKIP() << "the program is installed";
  const std::string name = "it's $(touch owned) 100%";
  std::filesystem::create_directories(folder_ / "build");
  std::filesystem::create_directories(folder_ / "recipes");
  std::filesystem::copy_file(program, folder_ / "build" / "eqm");
  std::filesystem::copy_file(module, folder_ / "build" / "libeqm_program.so");
  write_file(folder_ / "recipes" / (name + ".toml"), "# A recipe.\n");
  const std::string fish = in_shell("sh", "build/eqm completion fish\n");
  // A word in quotes, in the list of words, which is in quotes itself.
  EXPECT_TRUE(contains(fish, R"(-a '\'it\\\'s $(touch owned) 100%\'')")) << fish;
  const std::string completed =
      in_shell("bash",
               "build/eqm completion bash > completion && source ./completion\n"
               "COMP_WORDS=(eqm train --recipe it)\nCOMP_CWORD=3\n_eqm\nprintf '%s\\n' "
               "\"${COMPREPLY[@]}\"\n");
  if (exit_code_ == 99) GTEST_SKIP() << "there is no bash";
  EXPECT_EQ(completed, name + "\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "owned"));
}

TEST_F(ShippedCli, other_shells_understand_their_completions) {
  for (const std::string shell : {"zsh", "fish"}) {
    SCOPED_TRACE(shell);
    const ProgramResult script = run({"completion", shell});
    ASSERT_EQ(script.exit_code, 0) << script.errors;
    for (const char* part :
         {"landscape", "guided-channels", "first-three", "ablations/fashion-fm"}) {
      EXPECT_TRUE(contains(script.output, part)) << part;
    }
    write_file(folder_ / "completion", script.output);
    const std::string said =
        in_shell("sh", "command -v " + shell + " > /dev/null || exit 0\n" + shell +
                           (shell == "fish" ? " --no-execute " : " -n ") +
                           (folder_ / "completion").string() + "\n");
    EXPECT_EQ(said, "");
    EXPECT_EQ(exit_code_, 0);
  }
  // Colons within an action would begin another argument in zsh.
  EXPECT_TRUE(
      contains(run({"completion", "zsh"}).output, ": _eqm_names_or_files fashion-classifier"));
  // The last script is fish's, which completes without a terminal.
  const std::string completed = in_shell(
      "fish", "source completion; complete -C 'eqm sample --rule lan'; complete -C 'eqm swe'");
  if (exit_code_ == 99) return;
  EXPECT_TRUE(contains(completed, "land\t")) << completed;
  EXPECT_TRUE(contains(completed, "langevin\t")) << completed;
  EXPECT_TRUE(contains(completed, "sweep\t")) << completed;
}

TEST_F(ShippedCli, completions_are_refused_for_other_shells) {
  expect_failure({"completion", "tcsh"}, 2, "'tcsh' is not one of its choices", "bash");
}

TEST_F(ShippedCli, the_manual_page_is_sound_and_whole) {
  const ProgramResult page = run({"man"});
  ASSERT_EQ(page.exit_code, 0) << page.errors;
  for (const char* part :
       {".TH EQM 1", ".SS sample", "\\-\\-guided\\-channels", ".SH EXIT STATUS"}) {
    EXPECT_TRUE(contains(page.output, part)) << part;
  }
  for (const char letter : page.output) {
    ASSERT_TRUE(letter == '\n' || (letter >= ' ' && letter < 127)) << int{letter};
  }
  write_file(folder_ / "eqm.1", page.output);
  const std::string file = (folder_ / "eqm.1").string();
  const std::string said =
      in_shell("sh", "if command -v mandoc > /dev/null; then mandoc -T lint -W warning " + file +
                         "; fi\nif man --version 2> /dev/null | grep -q man-db; then\n"
                         "  LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z " +
                         file + " > /dev/null\nfi\n");
  EXPECT_EQ(said, "");
}

}  // namespace
}  // namespace eqm::test
