// The built program from outside: what it prints, how it ends, what it leaves on the disk.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/cli/run_program.h"
#include "tests/support/content_of.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

using Words = std::vector<std::string>;

class Cli : public ::testing::Test {
 protected:
  ProgramResult run(const Words& arguments) {
    return run_program(arguments, {.folder = folder_.path()});
  }

  ProgramResult run_with(const Words& variables, const Words& arguments) {
    return run_program(arguments, {.folder = folder_.path(), .environment = variables});
  }

  // The run fails with this exit code, one line that contains `part`, at most one hint that
  // contains `hint`, and an empty stdout.
  void expect_failure(const Words& arguments, int exit_code, const std::string& part,
                      const std::string& hint = "") {
    expect_failed(run(arguments), exit_code, part, hint);
  }
  static void expect_failed(const ProgramResult& result, int exit_code, const std::string& part,
                            const std::string& hint) {
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    EXPECT_EQ(result.output, "");
    const Words lines = result.error_lines();
    ASSERT_GE(lines.size(), 1u);
    EXPECT_LE(lines.size(), 2u) << result.errors;
    EXPECT_TRUE(lines[0].starts_with("eqm: ")) << lines[0];
    EXPECT_TRUE(contains(lines[0], part)) << "'" << part << "' is not in: " << lines[0];
    if (lines.size() > 1) {
      EXPECT_TRUE(lines[1].starts_with("hint: ")) << lines[1];
    }
    if (!hint.empty()) {
      ASSERT_EQ(lines.size(), 2u) << result.errors;
      EXPECT_TRUE(contains(lines[1], hint)) << "'" << hint << "' is not in: " << lines[1];
    }
  }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string read(const std::string& name) const { return content_of(folder_ / name); }
  Words names_in(const std::string& name) const {
    Words names;
    if (!std::filesystem::exists(folder_ / name)) return names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / name)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  // A run of a second.
  static Words tiny(const std::string& out) {
    return {"landscape", "--data", "two-points", "--steps", "20",        "--batch", "32",
            "--samples", "16",     "--width",    "8",       "--no-flow", "--out",   out};
  }

  TemporaryFolder folder_;
};

TEST_F(Cli, help_names_the_verbs) {
  for (const Words& words : {Words{"--help"}, Words{"-h"}, Words{}}) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.errors, "");
    for (const char* verb : {"landscape", "doctor", "--version", "--quiet"}) {
      EXPECT_TRUE(contains(result.output, verb)) << verb;
    }
  }
}

TEST_F(Cli, help_of_every_verb_names_its_options) {
  const ProgramResult landscape = run({"landscape", "--help"});
  EXPECT_EQ(landscape.exit_code, 0);
  EXPECT_EQ(landscape.errors, "");
  for (const char* flag : {"--config", "--data", "--points", "--objective", "--steps", "--batch",
                           "--lr", "--eta", "--rule", "--samples", "--seed", "--out", "--device",
                           "--threads", "--precision", "--no-flow"}) {
    EXPECT_TRUE(contains(landscape.output, flag)) << flag;
  }
  const ProgramResult doctor = run({"doctor", "--help"});
  EXPECT_EQ(doctor.exit_code, 0);
  for (const char* flag : {"--device", "--threads", "--precision"}) {
    EXPECT_TRUE(contains(doctor.output, flag)) << flag;
  }
}

TEST_F(Cli, landscape_animates_its_particles_when_asked) {
  Words words = tiny("moving");
  words.push_back("--animate");
  const ProgramResult result = run(words);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(contains(result.errors, "descent.png")) << result.errors;
  const std::string file = read("moving/descent.png");
  EXPECT_TRUE(contains(file, "acTL"));
  EXPECT_TRUE(contains(file, "fdAT"));
}

TEST_F(Cli, version_is_three_numbers) {
  const ProgramResult result = run({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(std::regex_match(result.output, std::regex("(eqm )?\\d+\\.\\d+\\.\\d+\\n")))
      << result.output;
}

TEST_F(Cli, doctor_reports_the_machine) {
  const ProgramResult result = run({"doctor"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(contains(result.output, "LibTorch")) << result.output;
  EXPECT_EQ(result.errors, "");
}

TEST_F(Cli, takes_no_number_of_threads_that_is_none) {
  for (const char* count : {"99999999999999999999", "3 garbage", "5000"}) {
    const ProgramResult result = run_program(
        {"doctor"},
        {.folder = folder_.path(), .environment = {std::string("OMP_NUM_THREADS=") + count}});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_FALSE(contains(result.output, "threads        3 of")) << result.output;
    EXPECT_FALSE(contains(result.output, "threads        5000")) << result.output;
    EXPECT_FALSE(contains(result.output, "2147483647")) << result.output;
  }
}

TEST_F(Cli, refuses_thousands_of_threads_at_once) {
  const ProgramResult result =
      run_program({"landscape", "--threads", "65536"}, {.folder = folder_.path()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.errors, "65536 threads are asked for, and this machine has"))
      << result.errors;
  EXPECT_TRUE(contains(result.errors, "hint: ask for at most")) << result.errors;
}

// OpenMP reads these while it is loaded, so the program must have set them before.
TEST_F(Cli, waiting_threads_sleep_after_a_short_spin_unless_the_user_says_otherwise) {
  const auto waiting = [&](const std::vector<std::string>& environment) {
    const std::string text =
        run_program({"doctor"}, {.folder = folder_.path(), .environment = environment}).output;
    const size_t at = text.find("waiting");
    return at == std::string::npos ? "" : text.substr(at + 15, text.find('\n', at) - at - 15);
  };
  const std::string unset = "OMP_WAIT_POLICY=";
  EXPECT_EQ(waiting({unset, "GOMP_SPINCOUNT="}), "threads spin 3000 times, then sleep");
  EXPECT_EQ(waiting({"OMP_WAIT_POLICY=passive"}), "threads sleep at once");
  EXPECT_EQ(waiting({unset, "GOMP_SPINCOUNT=17"}), "threads spin 17 times, then sleep");
}

TEST_F(Cli, says_where_bfloat16_does_not_work) {
  const ProgramResult result =
      run_program({"train", "--precision", "bfloat16", "--data", "nothing", "--out", "run"},
                  {.folder = folder_.path(), .environment = {"ONEDNN_MAX_CPU_ISA=SSE41"}});
  if (result.exit_code == 3) GTEST_SKIP() << "this processor has no bfloat16 by oneDNN to forbid";
  EXPECT_EQ(result.exit_code, 2) << result.errors;
  ASSERT_EQ(result.error_lines().size(), 2U) << result.errors;
  EXPECT_EQ(result.error_lines().at(0), "eqm: LibTorch cannot compute in bfloat16 here");
  EXPECT_EQ(result.error_lines().at(1), "hint: unset ONEDNN_MAX_CPU_ISA, or use float32");
}

TEST_F(Cli, refuses_bfloat16_where_it_would_change_nothing) {
  for (const char* verb : {"landscape", "sample", "denoise", "doctor"}) {
    const ProgramResult result =
        run_program({verb, "--precision", "bfloat16"}, {.folder = folder_.path()});
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_EQ(result.error_lines().at(0),
              "eqm: bfloat16 is for the matrix products of training only")
        << verb;
    EXPECT_EQ(result.error_lines().at(1), "hint: use --precision float32 here");
  }
}

TEST_F(Cli, kernels_run_on_the_instructions_that_are_asked_for) {
  const auto with = [&](const std::string& choice) {
    return run_program({"doctor"},
                       {.folder = folder_.path(), .environment = {"EQM_KERNELS=" + choice}});
  };
  EXPECT_TRUE(contains(with("plain").output, "kernels        plain\n"));
  EXPECT_TRUE(contains(with("Scalar").output, "kernels        SCALAR\n"));
  const ProgramResult wrong = with("fast");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.error_lines().at(0), "eqm: EQM_KERNELS is 'fast', which is no choice here");
  const std::string hint = wrong.error_lines().at(1), all = "hint: here it may be plain, ";
  ASSERT_TRUE(hint.starts_with(all)) << hint;
  // Those of this machine, best first; the last is the one that is not chosen by itself.
  const std::string least = hint.substr(hint.rfind(' ') + 1);
  EXPECT_TRUE(contains(with(least).output, "kernels        " + least + "\n")) << least;
  const std::string best = hint.substr(all.size(), hint.find(',', all.size()) - all.size());
  EXPECT_TRUE(contains(with("").output, "kernels        " + best + "\n")) << best;
}

TEST_F(Cli, doctor_finds_data_sets_and_says_how_to_get_them) {
  const Words home = {"HOME=" + folder_.path().string(), "EQM_DATA="};
  const ProgramResult without = run_with(home, {"doctor"});
  EXPECT_TRUE(contains(without.output, "fashion-mnist ")) << without.output;
  EXPECT_TRUE(std::regex_search(
      without.output, std::regex("mnist +not found\n +hint: run scripts/get_mnist\\.sh\n")))
      << without.output;
  std::filesystem::create_directories(folder_ / ".cache/eqm/mnist");
  write(".cache/eqm/mnist/train-images-idx3-ubyte.gz", "images");
  const ProgramResult with = run_with(home, {"doctor"});
  EXPECT_TRUE(contains(with.output, (folder_ / ".cache/eqm/mnist").string())) << with.output;
}

TEST_F(Cli, refuses_an_unknown_verb) {
  expect_failure({"landscpe"}, 2, "unknown verb 'landscpe'", "did you mean 'landscape'?");
  expect_failure({"fly"}, 2, "unknown verb 'fly'", "landscape, train, sample, denoise");
  expect_failure({"neighbors", "--help"}, 2, "unknown verb 'neighbors'", "'neighbours'?");
  expect_failure({"help", "fly"}, 2, "unknown verb 'fly'", "landscape");
}

TEST_F(Cli, help_fits_a_screen) {
  for (const char* verb : {"landscape", "train", "sample", "evaluate", "encode", "bench"}) {
    SCOPED_TRACE(verb);
    const std::string help = run({verb, "--help"}).output;
    EXPECT_TRUE(contains(help, "  --threads COUNT "));
    EXPECT_TRUE(contains(help, "[float32]\n"));
    EXPECT_FALSE(contains(help, "{false}"));
    EXPECT_FALSE(contains(help, "\n\n\n"));
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) EXPECT_LT(line.size(), 125u) << line;
  }
}

TEST_F(Cli, help_shows_switches_and_defaults) {
  const std::string help = run({"sample", "--help"}).output;
  EXPECT_TRUE(contains(help, "\n  --[no-]trace ")) << help;
  EXPECT_TRUE(contains(help, ": stored, deflated [stored]\n")) << help;
}

TEST_F(Cli, help_is_what_people_try_first) {
  EXPECT_EQ(run({"help"}).output, run({"--help"}).output);
  EXPECT_EQ(run({"help", "sample"}).output, run({"sample", "--help"}).output);
}

TEST_F(Cli, refuses_a_second_verb) {
  expect_failure({"landscape", "doctor"}, 2, "unexpected argument 'doctor'");
}

TEST_F(Cli, refuses_an_unknown_flag_wherever_it_stands) {
  expect_failure({"landscape", "--stesp", "5"}, 2, "unknown option --stesp",
                 "did you mean --steps?");
  expect_failure({"landscape", "--stesp=5"}, 2, "unknown option --stesp", "did you mean --steps?");
  expect_failure({"--stesp", "5", "landscape"}, 2, "unknown option --stesp", "--steps");
  expect_failure({"landscape", "--no-flwo"}, 2, "unknown option --no-flwo", "--no-flow");
  expect_failure({"landscape", "-x"}, 2, "unknown option -x");
  expect_failure({"doctor", "--steps", "5"}, 2, "unknown option --steps");
  expect_failure({"--verbos"}, 2, "unknown option --verbos", "did you mean --verbose?");
  expect_failure({"--bogus"}, 2, "unknown option --bogus", "landscape");
}

TEST_F(Cli, knows_what_options_are_called_elsewhere) {
  struct Guess {
    Words words;
    std::string meant;
  };
  const std::vector<Guess> guesses = {
      {{"sample", "--steps", "50"}, "--limit?"},
      {{"sample", "--num-inference-steps=50"}, "--limit?"},
      {{"sample", "--cfg", "4"}, "--guidance?"},
      {{"sample", "--cfg-scale", "4"}, "--guidance?"},
      {{"sample", "--guidance-scale", "4", "--model", "m"}, "--guidance?"},
      {{"sample", "--guidance_scale", "4"}, "--guidance?"},
      {{"sample", "--num", "8"}, "--count?"},
      {{"sample", "-n", "8", "--model", "m"}, "--count?"},  // 8 is not taken for the model
      {{"sample", "-n8"}, "--count?"},
      {{"sample", "--num-samples", "8"}, "--count?"},
      {{"evaluate", "--num-samples", "8"}, "--samples?"},
      {{"sample", "--output", "x"}, "--out?"},
      {{"sample", "-o", "x"}, "--out?"},
      {{"train", "--batch-size", "8"}, "--batch?"},
      {{"train", "--learning-rate", "8"}, "--lr?"},
      {{"train", "--config", "x"}, "--recipe?"},
      {{"landscape", "--recipe", "x"}, "--config?"},
      {{"train", "--dataset", "x"}, "--data?"},
      {{"denoise", "--ckpt", "x"}, "--model?"}};
  for (const Guess& guess : guesses) {
    SCOPED_TRACE(guess.words.at(1));
    expect_failure(guess.words, 2,
                   "unknown option " + guess.words[1].substr(0, guess.words[1].find('=')),
                   "did you mean " + guess.meant);
  }
}

TEST_F(Cli, says_where_to_get_well_known_data) {
  const auto refused = [this](const std::string& data, int code, const std::string& hint) {
    expect_failure({"train", "--data", data, "--out", "run"}, code,
                   "there is no data set, file or folder '" + data + "'", hint);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
  };
  refused("cifar10", 2, "cifar-10-binary.tar.gz");
  refused("CIFAR-10", 2, "cifar-10-binary.tar.gz");
  refused("data/cifar10", 4, "cifar-10-binary.tar.gz");
  refused("imagenet", 2, "image-net.org");
  refused("celeba", 2, "CelebA");
  refused("coco", 2, "cocodataset.org");
  refused("Fashion_MNIST", 2, "fashion-mnist");
  refused("fashion-mnits", 2, "did you mean 'fashion-mnist'?");
}

TEST_F(Cli, refuses_a_stray_word) {
  expect_failure({"landscape", "moons"}, 2, "unexpected argument 'moons'", "--help");
  expect_failure({"landscape", ""}, 2, "unexpected argument ''");
  expect_failure({"landscape", "--", "moons"}, 2, "unexpected argument 'moons'");
  expect_failure({"landscape", "++"}, 2, "unexpected argument '++'", "eqm landscape --help");
  expect_failure({"landscape", "++", "--steps", "5"}, 2, "unexpected argument '++'");
}

TEST_F(Cli, refuses_a_flag_without_its_value) {
  const auto refused = [this](const Words& words, const std::string& flag) {
    expect_failure(words, 2, "the value of " + flag + " is missing", "see `eqm landscape --help`");
  };
  refused({"landscape", "--steps"}, "--steps");
  refused({"landscape", "--config"}, "--config");
  refused({"landscape", "--eta="}, "--eta");
  refused({"landscape", "--out=", "--no-flow"}, "--out");
  refused({"landscape", "--steps", "--batch"}, "--steps");
  refused({"landscape", "--out", "--no-flow"}, "--out");
  refused({"landscape", "--data", "--steps=5"}, "--data");
  refused({"landscape", "--config", "--steps", "5"}, "--config");
}

TEST_F(Cli, refuses_a_flag_given_twice) {
  const auto refused = [this](const Words& words, const std::string& flag) {
    expect_failure(words, 2, "eqm: " + flag + " is given more than once",
                   "see `eqm landscape --help`");
  };
  refused({"landscape", "--steps", "1", "--steps", "2"}, "--steps");
  refused({"landscape", "--steps=1", "--steps", "1"}, "--steps");
  refused({"landscape", "--config", "a.toml", "--config", "b.toml"}, "--config");
  refused({"landscape", "--flow", "--no-flow"}, "--flow or --no-flow");
  refused({"--quiet", "landscape", "--quiet"}, "--quiet");
}

TEST_F(Cli, refuses_a_value_for_a_switch) {
  expect_failure({"--quiet=maybe", "doctor"}, 2, "--quiet takes no value", "eqm doctor --help");
  expect_failure({"--version=1"}, 2, "--version takes no value", "see `eqm --help`");
}

TEST_F(Cli, refuses_values_out_of_range) {
  expect_failure({"landscape", "--steps", "0"}, 2, "--steps: 0 is out of range", "from 1");
  expect_failure({"landscape", "--steps", "-5"}, 2, "--steps: -5 is out of range");
  expect_failure({"landscape", "--lr", "0"}, 2, "--lr: 0 is out of range", "above 0");
  expect_failure({"landscape", "--lr=-1"}, 2, "--lr: -1 is out of range");
  for (const char* flag : {"--samples", "--steps", "--batch", "--points", "--width", "--depth"}) {
    expect_failure({"landscape", flag, "1e12"}, 2, std::string(flag) + ": 1000000000000 is out");
  }
}

TEST_F(Cli, refuses_what_is_no_number) {
  for (const char* text : {"many", "nan", "inf", "1.5", "", "1e400", "99999999999999999999"}) {
    expect_failure({"landscape", "--steps", text}, 2, "--steps: '", "a whole number");
  }
  for (const char* text : {"fast", "nan", "inf", ""}) {
    expect_failure({"landscape", "--eta", text}, 2, "--eta: '", "a number");
  }
}

TEST_F(Cli, refuses_a_yes_or_no_that_is_neither) {
  expect_failure({"landscape", "--flow=maybe"}, 2, "--flow: 'maybe' is neither yes nor no");
}

TEST_F(Cli, refuses_text_that_is_not_utf8) {
  const std::string path = write("p\xe9.csv", "0,0\n1,1\n");
  expect_failure({"landscape", "--data", path}, 2, "--data: the text is not UTF-8", "another name");
  expect_failure({"landscape", "--out", "\xff"}, 2, "--out: the text is not UTF-8");
  expect_failure({"landscape", "--rule", "\xff"}, 2, "--rule: the text is not UTF-8");
}

TEST_F(Cli, refuses_an_unknown_choice) {
  expect_failure({"landscape", "--rule", "nestrov"}, 2, "'nestrov'", "did you mean 'nesterov'?");
  expect_failure({"landscape", "--precision", "float16"}, 2, "'float16'", "float");
}

TEST_F(Cli, keeps_messages_to_one_line_whatever_was_typed) {
  expect_failure({"landscape", "--steps", "1\n2"}, 2, "--steps: '1 2'");
  expect_failure({"landscape", "a\nb\x1b[31m"}, 2, "unexpected argument 'a b [31m'");
  expect_failure({"x\r\ny"}, 2, "unknown verb 'x  y'");
  expect_failure({"landscape", "--config", "a\nb"}, 4, "cannot open 'a b'");
}

TEST_F(Cli, refuses_a_config_with_a_typo_and_names_the_line) {
  const std::string path = write("run.toml", "[training]\nbatch = 8\nstesp = 5\n");
  expect_failure({"landscape", "--config", path}, 3,
                 "run.toml, line 3: unknown key 'training.stesp'",
                 "did you mean 'training.steps'?");
}

TEST_F(Cli, refuses_a_config_with_bad_values) {
  expect_failure({"landscape", "--config", write("a.toml", "[training]\nsteps = 0\n")}, 3,
                 "line 2: training.steps: 0 is out of range");
  expect_failure({"landscape", "--config", write("b.toml", "[training]\nsteps = \"x\"\n")}, 3,
                 "line 2: training.steps: 'x' is of the wrong type");
  expect_failure({"landscape", "--config", write("c.toml", "steps = 5\n")}, 3, "line 1",
                 "'steps' belongs in the table [training]");
  expect_failure({"landscape", "--config", write("d.toml", "[training\n")}, 3, "d.toml, line 1");
  expect_failure({"landscape", "--config", write("e.toml", std::string("\0\xff\x01", 3))}, 3,
                 "line 1");
}

TEST_F(Cli, refuses_a_config_that_cannot_be_read) {
  expect_failure({"landscape", "--config", "absent.toml"}, 4, "cannot open 'absent.toml'",
                 "spelling");
  expect_failure({"landscape", "--config", folder_.path()}, 4, "not a regular file",
                 "give the path of a TOML file");
  expect_failure({"landscape", "--config", ""}, 4, "cannot open ''");
}

TEST_F(Cli, flags_win_over_the_config) {
  const std::string path = write("run.toml", "[training]\nsteps = 5\n");
  expect_failure({"landscape", "--config", path, "--steps", "0"}, 2, "--steps: 0 is out of range");
}

TEST_F(Cli, refuses_data_that_is_neither_a_set_nor_a_file) {
  expect_failure({"landscape", "--data", "nosuch"}, 2, "'nosuch'", "two-points, eight-gaussians");
  expect_failure({"landscape", "--data", "moon"}, 2, "'moon'", "did you mean 'moons'?");
  expect_failure({"landscape", "--data", ""}, 2, "data '' is neither");
  expect_failure({"landscape", "--data", "missing.csv"}, 4, "cannot open 'missing.csv'");
  expect_failure({"landscape", "--data", folder_.path()}, 4, folder_.path().string());
}

TEST_F(Cli, speaks_of_values_of_a_config_as_of_flags) {
  const std::string data = write("data.toml", "[data]\ndata = \"nosuch\"\n");
  expect_failure({"landscape", "--config", data}, 2,
                 "eqm: data 'nosuch' is neither a built-in set");
  const std::string device = write("device.toml", "[runtime]\ndevice = \"gpu\"\n");
  expect_failure({"landscape", "--config", device}, 2, "eqm: device 'gpu' is not a device");
}

TEST_F(Cli, refuses_a_broken_csv_file) {
  const auto refused = [this](const std::string& text, const std::string& part) {
    expect_failure({"landscape", "--data", write("points.csv", text)}, 3, part);
  };
  refused("", "no rows");
  refused("x,y\n", "no rows");
  refused("1,2\n3\n", "line 2");
  refused("1,2\n3,nan\n", "line 2");
  refused("1,2\n3,inf\n", "line 2");
  refused("1,2\n3,four\n", "line 2");
  refused("1,2,3\n4,5,6\n", "columns");
  refused("1\n2\n", "columns");
  refused(std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16), "points.csv");
  refused(std::string(1000, '\0'), "zero byte");
}

TEST_F(Cli, refuses_points_without_extent) {
  expect_failure({"landscape", "--data", write("one.csv", "1,2\n")}, 3, "one.csv");
  expect_failure({"landscape", "--data", write("same.csv", "1,2\n1,2\n1,2\n")}, 3, "same");
}

TEST_F(Cli, refuses_points_whose_extent_overflows) {
  expect_failure({"landscape", "--data", write("huge.csv", "1e308,0\n-1e308,0\n0,1\n")}, 3,
                 "too far apart");
}

TEST_F(Cli, refuses_a_device_that_does_not_exist) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine may have CUDA";
  expect_failure({"landscape", "--device", "cuda"}, 2, "device 'cuda' does not exist", "cpu");
  expect_failure({"doctor", "--device", "cuda:7"}, 2, "device 'cuda:7' does not exist");
  expect_failure({"landscape", "--device", "gpu"}, 2, "device 'gpu'", "cpu");
  expect_failure({"landscape", "--device", ""}, 2, "device ''");
}

TEST_F(Cli, ends_whatever_openmp_is_told) {
  // Matrices large enough for the BLAS to share them between threads.
  const Words words = {"landscape", "--steps", "3", "--samples", "8", "--no-flow", "--threads"};
  const auto ends = [&](const std::string& variable, const std::string& threads) {
    Words all = words;
    all.push_back(threads);
    const ProgramResult result = run_with({variable}, all);
    EXPECT_EQ(result.exit_code, 0) << variable << ": " << result.errors;
  };
  ends("OMP_DYNAMIC=true", "8");
  ends("OMP_THREAD_LIMIT=1", "0");
  ends("OMP_MAX_ACTIVE_LEVELS=0", "2");
}

TEST_F(Cli, refuses_more_threads_than_openmp_grants) {
  expect_failed(run_with({"OMP_THREAD_LIMIT=2"}, {"landscape", "--threads", "3"}), 2,
                "3 threads are asked for, and OpenMP grants 2", "OMP_THREAD_LIMIT");
}

TEST_F(Cli, refuses_what_the_memory_cannot_hold_before_training) {
  expect_failure({"landscape", "--batch", "1000000", "--width", "4096", "--depth", "64"}, 2,
                 "GB of memory, and", "lower batch, width, depth or fourier");
  expect_failure({"landscape", "--samples", "1e6", "--width", "4096", "--depth", "64",
                  "--objective", "eqm-dot"},
                 2, "GB of memory, and", "lower samples");
  expect_failure({"landscape", "--samples", "1e4", "--paths", "1e4", "--limit", "1e6"}, 2,
                 "GB of memory, and", "lower paths or limit");
}

TEST_F(Cli, landscape_takes_every_rule_that_suits_the_objective) {
  for (const auto& [objective, rule] : std::vector<std::pair<std::string, std::string>>{
           {"eqm", "euler"}, {"eqm", "heun"}, {"eqm", "dopri5"}, {"fm-unconditional", "dopri5"}}) {
    Words words = tiny("out");
    words.insert(words.end(), {"--objective", objective, "--rule", rule});
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << rule << ": " << result.errors;
    EXPECT_TRUE(contains(result.output, "arrived 16")) << rule << ": " << result.output;
  }
  expect_failure({"landscape", "--objective", "fm-unconditional", "--rule", "gd", "--eta", "0.02"},
                 2, "a flow has no bottom to descend to by gd", "euler, heun");
  expect_failure({"landscape", "--objective", "fm", "--rule", "dopri5", "--eta", "0.02"}, 2,
                 "takes no --eta", "--rtol");
  Words words = tiny("out");
  words.insert(words.end(), {"--walk", "3"});
  EXPECT_TRUE(contains(run(words).errors, "--rule gd does nothing with --walk"));
}

TEST_F(Cli, refuses_an_unwritable_output_folder_before_training) {
  const std::string file = write("file", "text");
  expect_failure({"landscape", "--out", file + "/inner"}, 4, "file/inner", "a file stands");
  expect_failure({"landscape", "--out", file}, 4, "file", "a file stands");
  expect_failure({"landscape", "--out", "/proc/eqm-test"}, 4, "/proc/eqm-test");
  EXPECT_EQ(read("file"), "text");
}

TEST_F(Cli, fails_when_stdout_cannot_be_written) {
  for (const Words& words : {Words{"--help"}, Words{"--version"}, Words{}, Words{"doctor"},
                             Words{"landscape", "--help"}}) {
    for (const Output output : {Output::full_disk, Output::closed}) {
      const ProgramResult result = run_program(words, {.folder = folder_.path(), .output = output});
      EXPECT_EQ(result.exit_code, 4);
      EXPECT_TRUE(contains(result.errors, "eqm: cannot write to standard output")) << result.errors;
    }
  }
}

TEST_F(Cli, ends_without_a_word_when_nobody_reads_on) {
  for (const Words& words : {Words{"--help"}, Words{"-h"}, Words{"--version"}, Words{},
                             Words{"list", "rules"}, Words{"landscape", "--help"}}) {
    const ProgramResult result =
        run_program(words, {.folder = folder_.path(), .output = Output::broken_pipe});
    EXPECT_EQ(result.signal, SIGPIPE) << result.exit_code;
    EXPECT_EQ(result.errors, "");
  }
}

TEST_F(Cli, a_pipe_without_a_reader_does_not_spoil_the_files) {
  ASSERT_EQ(run(tiny("open")).exit_code, 0);
  const ProgramResult result =
      run_program(tiny("broken"), {.folder = folder_.path(), .output = Output::broken_pipe});
  EXPECT_EQ(result.signal, SIGPIPE) << result.errors;
  EXPECT_FALSE(contains(result.errors, "cannot write")) << result.errors;
  EXPECT_EQ(read("broken/samples.csv"), read("open/samples.csv"));
}

TEST_F(Cli, a_closed_stdout_does_not_spoil_the_files) {
  ASSERT_EQ(run(tiny("open")).exit_code, 0);
  const ProgramResult result =
      run_program(tiny("closed"), {.folder = folder_.path(), .output = Output::closed});
  EXPECT_EQ(result.exit_code, 4) << result.errors;
  EXPECT_EQ(read("closed/samples.csv"), read("open/samples.csv"));
  EXPECT_EQ(read("closed/landscape.svg"), read("open/landscape.svg"));
}

TEST_F(Cli, a_tiny_run_leaves_complete_files_and_nothing_else) {
  const ProgramResult result = run(tiny("out"));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output, "");
  EXPECT_TRUE(read("out/landscape.png").starts_with("\x89PNG\r\n"));
  EXPECT_TRUE(contains(read("out/landscape.png"), "IEND"));
  EXPECT_TRUE(contains(read("out/landscape.svg"), "<svg"));
  EXPECT_TRUE(contains(read("out/landscape.svg"), "</svg>"));
  const std::string samples = read("out/samples.csv");
  EXPECT_TRUE(samples.starts_with("x,y,steps,norm,status\n")) << samples;
  EXPECT_TRUE(std::regex_search(samples, std::regex(",(converged|limit|arrived)\n"))) << samples;
  EXPECT_EQ(std::count(samples.begin(), samples.end(), '\n'), 17) << samples;  // and the header
  EXPECT_TRUE(contains(read("out/config.toml"), "steps = 20"));
  for (const std::string& name : names_in("out")) {
    EXPECT_TRUE(std::regex_match(
        name,
        std::regex("(landscape|samples|config|model)[a-z-]*\\.(png|svg|csv|toml|safetensors)")))
        << name;
  }
  EXPECT_EQ(folder_.names(), Words{"out"});
}

TEST_F(Cli, the_same_run_gives_the_same_bytes) {
  ASSERT_EQ(run(tiny("one")).exit_code, 0);
  ASSERT_EQ(run(tiny("two")).exit_code, 0);
  ASSERT_NE(read("one/samples.csv"), "");
  EXPECT_EQ(read("one/samples.csv"), read("two/samples.csv"));
  EXPECT_EQ(read("one/landscape.svg"), read("two/landscape.svg"));
  EXPECT_EQ(read("one/landscape.png"), read("two/landscape.png"));
}

TEST_F(Cli, another_seed_gives_other_samples) {
  Words other = tiny("two");
  other.insert(other.end(), {"--seed", "1"});
  ASSERT_EQ(run(tiny("one")).exit_code, 0);
  ASSERT_EQ(run(other).exit_code, 0);
  EXPECT_NE(read("one/samples.csv"), read("two/samples.csv"));
}

TEST_F(Cli, its_config_repeats_the_run) {
  ASSERT_EQ(run(tiny("one")).exit_code, 0);
  const ProgramResult again = run({"landscape", "--config", "one/config.toml", "--out", "two"});
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  ASSERT_NE(read("one/samples.csv"), "");
  EXPECT_EQ(read("one/samples.csv"), read("two/samples.csv"));
}

TEST_F(Cli, learns_from_a_csv_file_with_spaces_and_quotes_in_its_name) {
  write("my \"points\".csv", "x,y\n0,0\n1,1\n0,1\n1,0\n");
  Words words = tiny("out");
  words[2] = "my \"points\".csv";
  const ProgramResult result = run(words);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  words = {"landscape", "--config", "out/config.toml", "--out", "again"};
  EXPECT_EQ(run(words).exit_code, 0);
}

TEST_F(Cli, quiet_says_nothing_on_stderr) {
  Words words = tiny("out");
  words.emplace_back("--quiet");
  const ProgramResult result = run(words);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.errors, "");
}

TEST_F(Cli, uses_no_escape_codes_away_from_a_terminal) {
  const ProgramResult result = run(tiny("out"));
  EXPECT_FALSE(contains(result.output + result.errors, "\x1b"));
  EXPECT_FALSE(contains(result.output + result.errors, "\r"));
}

TEST_F(Cli, an_interrupted_run_leaves_nothing_before_its_first_result) {
  RunningProgram program(
      {"landscape", "--data", "two-points", "--steps", "10000000", "--no-flow", "--out", "out"},
      {.folder = folder_.path()});
  // The folder appears just before training.
  for (int tries = 0; tries < 1000 && !std::filesystem::exists(folder_ / "out"); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_FALSE(program.has_ended());
  program.send(SIGINT);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGINT) << "signal " << result.signal;
  EXPECT_TRUE(contains(result.errors, "interrupted: nothing is written to out")) << result.errors;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(Cli, sweeps_what_a_killed_run_left) {
  std::filesystem::create_directory(folder_ / "out");
  write("out/.eqm-0123456789abcdef.tmp", "half a picture");
  ASSERT_EQ(run(tiny("out")).exit_code, 0);
  for (const std::string& name : names_in("out")) EXPECT_FALSE(name.starts_with(".")) << name;
}

TEST_F(Cli, keeps_everything_when_samples_diverge) {
  Words words = tiny("out");
  words.insert(words.end(), {"--eta", "1e30"});
  const ProgramResult result = run(words);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(contains(result.output, "diverged")) << result.output;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / "model.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / "samples.csv"));
}

}  // namespace
}  // namespace eqm::test
