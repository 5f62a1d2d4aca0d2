// Training from outside: killed, stopped, resumed, refused; and what a run leaves behind.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/io/jsonl.h"
#include "eqm/io/npz.h"
#include "eqm/io/png.h"
#include "eqm/io/safetensors.h"
#include "tests/cli/run_program.h"
#include "tests/support/content_of.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using std::chrono::milliseconds;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The step of the latest checkpoint; 0 when there is none.
int64_t last_step(const fs::path& run) {
  int64_t last = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(run / "checkpoints", none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("step-")) last = std::max<int64_t>(last, std::stoll(name.substr(5)));
  }
  return last;
}

fs::path checkpoint_at(const fs::path& run, int64_t step) {
  std::string digits = std::to_string(step);
  digits.insert(0, 7 - std::min<size_t>(7, digits.size()), '0');
  return run / "checkpoints" / ("step-" + digits);
}

class TrainCli : public ::testing::Test {
 protected:
  // Little pictures of two classes: dark ones and bright ones.
  void SetUp() override {
    std::mt19937 noise(1);
    std::vector<uint8_t> pixels;
    std::vector<int64_t> labels;
    for (int64_t i = 0; i < kExamples; ++i) {
      labels.push_back(i % 2);
      for (int k = 0; k < 64; ++k) {
        pixels.push_back(static_cast<uint8_t>(160 * (i % 2) + static_cast<int>(noise() % 64)));
      }
    }
    write_safetensors(
        folder_ / "data.safetensors",
        {{"images", {Dtype::u8, {kExamples, 1, 8, 8}, std::as_bytes(std::span(pixels))}},
         {"labels", {Dtype::i64, {kExamples}, std::as_bytes(std::span(labels))}}});
  }

  static Words small_run(const std::string& out, const std::string& checkpoint_every = "20") {
    return joined({"train", "--model", "XS/4", "--width", "16", "--depth", "1", "--heads", "1"},
                  any_run(out, checkpoint_every));
  }

  // The options of a run, whatever its model.
  static Words any_run(const std::string& out, const std::string& checkpoint_every = "20") {
    return {"--data",
            "data.safetensors",
            "--batch",
            "8",
            "--threads",
            "1",
            "--held-out",
            "0",
            "--sample-every",
            "0",
            "--lr",
            "0.001",
            "--log-every",
            "5",
            "--checkpoint-every",
            checkpoint_every,
            "--out",
            out};
  }

  ProgramResult run(const Words& arguments) {
    return run_program(arguments, {.folder = folder_.path(), .limit = std::chrono::seconds(120)});
  }

  // Starts a run and resumes it after every kill -9; answers the step it had reached.
  int64_t train_through_kills(const Words& start, const std::string& out, int kills) {
    std::mt19937 random(7);
    Words arguments = joined(start, {"--steps", "1000000"});
    for (int kill = 0; kill < kills; ++kill) {
      RunningProgram program(arguments, {.folder = folder_.path()});
      // In turn at any moment, start-up included, and soon after a checkpoint, so that it gets on.
      const int64_t before = last_step(folder_ / out);
      while (kill % 2 == 1 && last_step(folder_ / out) == before && !program.has_ended()) {
        std::this_thread::sleep_for(milliseconds(5));
      }
      std::this_thread::sleep_for(milliseconds(random() % (kill % 2 == 1 ? 60 : 900)));
      EXPECT_FALSE(program.has_ended()) << program.wait().errors;
      program.send(SIGKILL);
      program.wait();
      // Killed before it had written anything, it is simply started once more.
      if (fs::exists(folder_ / out / "config.toml"))
        arguments = {"train", "--resume", "--out", out};
    }
    return last_step(folder_ / out);
  }

  void expect_same_weights_after_kills(const Words& options, int kills) {
    const int64_t reached =
        train_through_kills(joined(small_run("killed"), options), "killed", kills);
    ASSERT_GE(reached, 20 * (kills / 2));
    const int64_t end = reached + 13;
    const std::string steps = std::to_string(end);
    EXPECT_EQ(run({"train", "--resume", "--out", "killed", "--steps", steps}).exit_code, 0);
    EXPECT_EQ(run(joined(small_run("whole"), joined(options, {"--steps", steps}))).exit_code, 0);
    for (const char* file :
         {"weights.safetensors", "optimiser.safetensors", "model.safetensors", "progress.json"}) {
      EXPECT_EQ(content_of(checkpoint_at(folder_ / "killed", end) / file),
                content_of(checkpoint_at(folder_ / "whole", end) / file))
          << file;
    }
    EXPECT_EQ(content_of(folder_ / "killed" / "model.safetensors"),
              content_of(folder_ / "whole" / "model.safetensors"));
    expect_metrics_of_every_fifth_step(folder_ / "killed", end);
    EXPECT_EQ(losses_in(folder_ / "killed"), losses_in(folder_ / "whole"));
    expect_no_temporaries(folder_ / "killed");
  }

  static std::vector<double> losses_in(const fs::path& run) {
    std::vector<double> losses;
    for (const std::string& line : read_lines(run / "metrics.jsonl")) {
      losses.push_back(nlohmann::json::parse(line).at("loss"));
    }
    return losses;
  }

  static void expect_metrics_of_every_fifth_step(const fs::path& run, int64_t end) {
    std::ifstream lines(run / "metrics.jsonl");
    std::string line;
    int64_t expected = 5;
    while (std::getline(lines, line)) {
      ASSERT_TRUE(line.starts_with("{\"step\":" + std::to_string(std::min(expected, end)) + ","))
          << line;
      expected += 5;
    }
    EXPECT_GT(expected, end);
  }

  static void expect_no_temporaries(const fs::path& run) {
    for (const auto& entry : fs::recursive_directory_iterator(run)) {
      EXPECT_FALSE(entry.path().filename().string().starts_with(".eqm-")) << entry.path();
    }
  }

  void expect_failure(const Words& arguments, int exit_code, const std::string& part,
                      const std::string& hint) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    EXPECT_EQ(result.output, "");
    const Words lines = result.error_lines();
    ASSERT_EQ(lines.size(), 2U) << result.errors;
    EXPECT_TRUE(contains(lines[0], part)) << lines[0];
    EXPECT_TRUE(contains(lines[1], hint)) << lines[1];
  }

  static constexpr int64_t kExamples = 96;
  TemporaryFolder folder_;
};

// EQM_KILLS=50 makes it a longer test.
int kills() {
  const char* text = std::getenv("EQM_KILLS");
  return text ? std::max(1, std::atoi(text)) : 10;
}

TEST_F(TrainCli, any_number_of_kills_leaves_the_same_weights) {
  expect_same_weights_after_kills({}, kills());
}

TEST_F(TrainCli, any_number_of_kills_leaves_the_same_weights_of_an_energy) {
  expect_same_weights_after_kills({"--objective", "eqm-dot", "--flip", "--ema-warm-up"}, kills());
}

// Products large enough for the processor's matrix registers, which not every system grants.
TEST_F(TrainCli, trains_in_bfloat16) {
  const ProgramResult result = run_program(
      joined({"train", "--model", "XS/4", "--width", "64", "--depth", "1", "--heads", "4"},
             joined(any_run("run"), {"--precision", "bfloat16", "--steps", "2"})),
      {.folder = folder_.path()});
  if (contains(result.errors, "cannot compute in bfloat16")) GTEST_SKIP() << result.errors;
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

TEST_F(TrainCli, a_request_to_stop_writes_a_checkpoint_and_says_how_to_go_on) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string out = "run" + std::to_string(signal);
    RunningProgram program(joined(small_run(out, "0"), {"--steps", "1000000"}),
                           {.folder = folder_.path()});
    while (!fs::exists(folder_ / out / "metrics.jsonl") && !program.has_ended()) {
      std::this_thread::sleep_for(milliseconds(20));
    }
    std::this_thread::sleep_for(milliseconds(200));
    program.send(signal);
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.exit_code, 128 + signal) << result.errors;
    EXPECT_TRUE(contains(result.output, "eqm train --resume --out " + out)) << result.output;
    const int64_t step = last_step(folder_ / out);
    EXPECT_GT(step, 0);
    const ProgramResult more =
        run({"train", "--resume", "--out", out, "--steps", std::to_string(step + 3)});
    EXPECT_EQ(more.exit_code, 0) << more.errors;
    EXPECT_EQ(last_step(folder_ / out), step + 3);
  }
}

TEST_F(TrainCli, a_run_in_use_is_refused_and_free_again_when_its_process_is_dead) {
  RunningProgram first(joined(small_run("run"), {"--steps", "1000000"}),
                       {.folder = folder_.path()});
  while (!fs::exists(folder_ / "run" / "metrics.jsonl") && !first.has_ended()) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  expect_failure({"train", "--resume", "--out", "run"}, 4, "in use by process", "--out");
  first.send(SIGKILL);
  first.wait();
  const std::string steps = std::to_string(last_step(folder_ / "run") + 2);
  EXPECT_EQ(run({"train", "--resume", "--out", "run", "--steps", steps}).exit_code, 0);
}

TEST_F(TrainCli, a_damaged_checkpoint_is_passed_over_for_the_one_before) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "40"})).exit_code, 0);
  ASSERT_EQ(run(joined(small_run("whole"), {"--steps", "50"})).exit_code, 0);
  fs::resize_file(checkpoint_at(folder_ / "run", 40) / "weights.safetensors", 100);
  const ProgramResult result = run({"train", "--resume", "--out", "run", "--steps", "50"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(contains(result.errors, "step-0000040")) << result.errors;
  EXPECT_TRUE(contains(result.errors, "resuming from step-0000020")) << result.errors;
  EXPECT_EQ(content_of(folder_ / "run" / "model.safetensors"),
            content_of(folder_ / "whole" / "model.safetensors"));
  EXPECT_EQ(losses_in(folder_ / "run"), losses_in(folder_ / "whole"));
}

TEST_F(TrainCli, mistakes_are_told_before_any_work) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "5"})).exit_code, 0);
  expect_failure(joined(small_run("run"), {"--steps", "9"}), 2, "already holds a run", "--resume");
  expect_failure({"train", "--resume", "--out", "run", "--batch", "4"}, 3, "another batch",
                 "same recipe");
  expect_failure({"train", "--resume", "--out", "run", "--width", "32"}, 3, "another architecture",
                 "same recipe");
  expect_failure({"train", "--resume", "--out", "nowhere"}, 4, "nowhere", "");
  expect_failure(joined(small_run("a"), {"--accumulate", "3"}), 2, "3 equal parts", "divides");
  expect_failure(joined(small_run("b"), {"--objective", "eqm-l2"}), 2, "trained EqM model",
                 "--init");
  expect_failure({"train", "--data", "nothing-here", "--out", "c"}, 2, "nothing-here", "");
  expect_failure({"train", "--recipe", "no.toml", "--out", "d"}, 4, "no.toml", "");
  for (const char* untouched : {"a", "b", "c", "d"}) EXPECT_FALSE(fs::exists(folder_ / untouched));
}

// 96 examples in batches of 8 are 12 steps.
TEST_F(TrainCli, epochs_take_the_place_of_steps) {
  std::ofstream(folder_ / "steps.toml") << "[training]\nsteps = 40\n";
  std::ofstream(folder_ / "epochs.toml") << "[training]\nepochs = 2\n";
  std::ofstream(folder_ / "both.toml") << "[training]\nsteps = 40\nepochs = 2\n";
  std::ofstream(folder_ / "built.toml")
      << "base = \"steps.toml\"\n[training]\nsteps = 0\nepochs = 0.5\n";
  const auto steps_of = [&](const std::string& out, const Words& more) {
    const ProgramResult result = run(joined(small_run(out), more));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return last_step(folder_ / out);
  };
  EXPECT_EQ(steps_of("a", {"--epochs", "1"}), 12);
  EXPECT_EQ(steps_of("b", {"--recipe", "epochs.toml"}), 24);
  EXPECT_EQ(steps_of("c", {"--recipe", "steps.toml", "--epochs", "0.5"}), 6);
  EXPECT_EQ(steps_of("d", {"--recipe", "epochs.toml", "--steps", "5"}), 5);
  EXPECT_EQ(steps_of("e", {"--recipe", "built.toml"}), 6);
  EXPECT_TRUE(contains(content_of(folder_ / "a/config.toml"), "steps = 12 "));
  EXPECT_EQ(run({"train", "--resume", "--out", "a"}).exit_code, 0);
  EXPECT_EQ(last_step(folder_ / "a"), 12);
  const ProgramResult longer = run({"train", "--resume", "--out", "a", "--epochs", "2"});
  EXPECT_EQ(longer.exit_code, 0) << longer.errors;
  EXPECT_TRUE(contains(longer.output, "24 of 24 (2.00 epochs)")) << longer.output;
  expect_failure(joined(small_run("x"), {"--steps", "5", "--epochs", "1"}), 2, "both", "--epochs");
  expect_failure(joined(small_run("x"), {"--recipe", "both.toml"}), 2, "both", "omit one of them");
  EXPECT_FALSE(fs::exists(folder_ / "x"));
}

// 0.9^5 = 0.59 and 0.5^5 = 0.03.
TEST_F(TrainCli, an_average_that_would_stay_at_the_initial_weights_is_told) {
  const auto errors_of = [&](const Words& words) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.errors;
  };
  const auto fresh = [&](const std::string& out, const Words& more) {
    return errors_of(joined(joined(small_run(out), {"--steps", "5"}), more));
  };
  const std::string warned = fresh("a", {"--ema", "0.9"});
  EXPECT_TRUE(contains(warned, "59 % of the averaged weights")) << warned;
  EXPECT_TRUE(contains(warned, "--ema-warm-up")) << warned;
  EXPECT_TRUE(contains(fresh("b", {}), "100 % of the averaged weights"));
  for (const Words& well : {Words{"--ema", "0.5"}, Words{"--ema-warm-up"}}) {
    const std::string errors = fresh("c" + well.front(), well);
    EXPECT_FALSE(contains(errors, "averaged weights")) << errors;
  }
  // It is too late to choose another average.
  const std::string resumed = errors_of({"train", "--resume", "--out", "a", "--steps", "7"});
  EXPECT_FALSE(contains(resumed, "averaged weights")) << resumed;
}

TEST_F(TrainCli, a_recipe_with_a_wrong_key_names_the_right_one) {
  std::ofstream(folder_ / "recipe.toml") << "[training]\nstesp = 5\n";
  expect_failure({"train", "--recipe", "recipe.toml", "--out", "run"}, 3, "line 2",
                 "training.steps");
}

TEST_F(TrainCli, changed_data_are_refused_on_resume) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "5"})).exit_code, 0);
  std::vector<uint8_t> pixels(40 * 64, 7);
  std::vector<int64_t> labels(40, 0);
  labels[0] = 1;
  write_safetensors(folder_ / "data.safetensors",
                    {{"images", {Dtype::u8, {40, 1, 8, 8}, std::as_bytes(std::span(pixels))}},
                     {"labels", {Dtype::i64, {40}, std::as_bytes(std::span(labels))}}});
  expect_failure({"train", "--resume", "--out", "run", "--steps", "9"}, 3, "another data set",
                 "same recipe");
}

TEST_F(TrainCli, a_finished_run_samples_and_describes_itself) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "30"})).exit_code, 0);
  const ProgramResult sampled =
      run({"sample", "run", "--per-class", "2", "--limit", "5", "--out", "pictures"});
  EXPECT_EQ(sampled.exit_code, 0) << sampled.errors;
  EXPECT_TRUE(fs::exists(folder_ / "pictures" / "grid.png"));
  EXPECT_TRUE(fs::exists(folder_ / "pictures" / "pictures" / "000003.png"));
  const ProgramResult five =
      run({"sample", "run", "--count", "5", "--limit", "2", "--out", "five"});
  EXPECT_EQ(five.exit_code, 0) << five.errors;
  EXPECT_TRUE(fs::exists(folder_ / "five" / "pictures" / "000004.png"));
  EXPECT_FALSE(fs::exists(folder_ / "five" / "pictures" / "000005.png"));
  const ProgramResult exported =
      run({"export", "run", "--stored", "float16", "--out", "half.safetensors"});
  EXPECT_EQ(exported.exit_code, 0) << exported.errors;
  EXPECT_LT(fs::file_size(folder_ / "half.safetensors"),
            0.7 * static_cast<double>(fs::file_size(folder_ / "run" / "model.safetensors")));
  EXPECT_EQ(run({"sample", "half.safetensors", "--per-class", "1", "--limit", "2", "--out", "q"})
                .exit_code,
            0);
  const ProgramResult told = run({"info", "run"});
  EXPECT_EQ(told.exit_code, 0) << told.errors;
  for (const char* part : {"architecture", "eqm", "truncated", "at steps 20, 30", "loss"}) {
    EXPECT_TRUE(contains(told.output, part)) << part << "\n" << told.output;
  }
  expect_failure({"sample", "run", "--labels", "7", "--out", "p"}, 2, "no class '7'", "0");
  EXPECT_FALSE(fs::exists(folder_ / "p"));
  expect_failure({"info", "."}, 3, "no model", "run folder");
}

TEST_F(TrainCli, what_it_says_comes_next_works_for_every_objective) {
  for (const char* objective :
       {"eqm", "eqm-dot", "fm", "fm-unconditional", "eqm-noise-condition"}) {
    const std::string out = std::string("a run's ") + objective;
    const ProgramResult trained =
        run(joined(small_run(out), {"--steps", "2", "--objective", objective}));
    ASSERT_EQ(trained.exit_code, 0) << trained.errors;
    const auto next = trained.output.find("next: eqm ");
    ASSERT_NE(next, std::string::npos) << trained.output;
    std::string line = trained.output.substr(next + 10);
    line = line.substr(0, line.find('\n'));
    const std::string command = "cd '" + folder_.path().string() + "' && '" + program_path() +
                                "' --quiet " + line + " > said 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << line << "\n" << content_of(folder_ / "said");
    EXPECT_TRUE(fs::exists(folder_ / out / "drawn" / "grid.png")) << line;
  }
}

std::vector<std::string> statuses_in(const fs::path& lines) {
  std::vector<std::string> statuses;
  std::ifstream file(lines);
  for (std::string line; std::getline(file, line);) {
    statuses.push_back(nlohmann::json::parse(line).at("status"));
  }
  return statuses;
}

TEST_F(TrainCli, sampling_counts_evaluations) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "2"})).exit_code, 0);
  const ProgramResult fixed = run({"sample", "run", "--count", "6", "--rule", "heun", "--limit",
                                   "7", "--no-pictures", "--out", "six"});
  EXPECT_TRUE(contains(fixed.errors, "sampling 84/84 evaluations")) << fixed.errors;
  EXPECT_TRUE(contains(fixed.errors, "6/6 samples")) << fixed.errors;
  const ProgramResult stopped =
      run({"sample", "run", "--count", "6", "--threshold", "1e9", "--no-pictures", "--out", "six"});
  EXPECT_TRUE(contains(stopped.errors, "sampling 6/6 evaluations")) << stopped.errors;
}

TEST_F(TrainCli, told_twice_to_stop_leaves_no_lock) {
  Words words = small_run("twice");
  *(std::ranges::find(words, "--batch") + 1) = "4096";  // a step takes a while
  // Where it was faster to stop than we to say it again, once more.
  for (int attempt = 0; attempt < 20; ++attempt) {
    RunningProgram program(joined(words, {"--steps", "100"}), {.folder = folder_.path()});
    while (!fs::exists(folder_ / "twice" / "run.lock") && !program.has_ended()) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    program.send(SIGINT);
    ASSERT_TRUE(program.wait_for("stopping soon"));
    program.send(SIGINT);
    const ProgramResult result = program.wait();
    ASSERT_EQ(result.exit_code, 128 + SIGINT) << result.errors;
    EXPECT_FALSE(fs::exists(folder_ / "twice" / "run.lock"));
    if (!fs::exists(folder_ / "twice" / "model.safetensors")) return;  // it left at once
    fs::remove_all(folder_ / "twice");
  }
  FAIL() << "the program never left at once";
}

TEST_F(TrainCli, interrupted_sampling_shows_what_was_under_way) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "2"})).exit_code, 0);
  RunningProgram program({"sample", "run", "--count", "6", "--rule", "gd", "--limit", "1000000",
                          "--eta", "1e-9", "--npz", "six.npz", "--threads", "1", "--out", "six"},
                         {.folder = folder_.path()});
  ASSERT_TRUE(program.wait_for("0/6 samples"));
  program.send(SIGINT);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGINT) << result.errors;
  EXPECT_TRUE(contains(result.errors, "0 of 6 samples are done; 6 unfinished")) << result.errors;
  EXPECT_TRUE(contains(result.output, "cancelled          6 samples")) << result.output;
  EXPECT_EQ(statuses_in(folder_ / "six" / "samples.jsonl"),
            std::vector<std::string>(6, "cancelled"));
  EXPECT_TRUE(fs::exists(folder_ / "six" / "grid.png"));
  EXPECT_FALSE(fs::exists(folder_ / "six" / "pictures" / "000000.png"));
  EXPECT_FALSE(fs::exists(folder_ / "six.npz"));
}

TEST_F(TrainCli, interrupted_sampling_without_a_sample_leaves_an_earlier_run_alone) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "2"})).exit_code, 0);
  ASSERT_EQ(run({"sample", "run", "--count", "2", "--limit", "2", "--out", "two"}).exit_code, 0);
  const auto before = statuses_in(folder_ / "two" / "samples.jsonl");
  RunningProgram program({"sample", "run", "--count", "2", "--rule", "gd", "--limit", "1000000",
                          "--eta", "1e-9", "--threads", "1", "--out", "two"},
                         {.folder = folder_.path()});
  ASSERT_TRUE(program.wait_for("0/2 samples"));
  program.send(SIGINT);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGINT) << result.errors;
  EXPECT_TRUE(contains(result.errors, "earlier run in two stay")) << result.errors;
  EXPECT_EQ(statuses_in(folder_ / "two" / "samples.jsonl"), before);
}

// The first sample of a class is still under way when a later one of the same class is done.
TEST_F(TrainCli, interrupted_sampling_keeps_pictures_of_classes_whose_first_is_not_done) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "2"})).exit_code, 0);
  constexpr size_t kClasses = 2, kCount = 60;
  const auto sample = [&](const std::string& threshold, const std::string& out) {
    return Words{"sample",
                 "run",
                 "--count",
                 std::to_string(kCount),
                 "--class-folders",
                 "--rule",
                 "gd",
                 "--limit",
                 "1000000",
                 "--eta",
                 "1e-9",
                 "--threads",
                 "1",
                 "--threshold",
                 threshold,
                 "--out",
                 out};
  };
  ASSERT_EQ(run(sample("1e9", "all")).exit_code, 0);
  std::vector<double> norms;
  std::ifstream lines(folder_ / "all" / "samples.jsonl");
  for (std::string line; std::getline(lines, line);) {
    norms.push_back(nlohmann::json::parse(line).at("norm"));
  }
  ASSERT_EQ(norms.size(), kCount);
  // Sample 0, whose picture shows that the first step is done, and `late` are below the threshold.
  size_t late = 0;
  double widest = 0, threshold = 0;
  for (size_t i = kClasses; i < kCount; ++i) {
    const double below = std::max(norms[0], norms[i]), above = norms[i % kClasses];
    if (above - below <= widest) continue;
    late = i;
    widest = above - below;
    threshold = (above + below) / 2;
  }
  ASSERT_GT(widest, 0);
  RunningProgram program(sample(std::to_string(threshold), "some"), {.folder = folder_.path()});
  const auto pictures_named = [&](size_t index) {
    char name[16];
    std::snprintf(name, sizeof(name), "%06zu.png", index);
    int found = 0;
    std::error_code ignored;
    for (const auto& entry :
         fs::recursive_directory_iterator(folder_ / "some" / "pictures", ignored)) {
      found += entry.path().filename() == name ? 1 : 0;
    }
    return found;
  };
  while (pictures_named(0) == 0 && !program.has_ended()) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  program.send(SIGINT);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGINT) << result.errors;
  EXPECT_EQ(pictures_named(late), 1);
  EXPECT_EQ(pictures_named(late % kClasses), 0);
}

TEST_F(TrainCli, interrupted_sampling_keeps_what_is_done) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "2"})).exit_code, 0);
  RunningProgram program({"sample", "run", "--count", "1000000", "--rows", "4", "--npz", "some.npz",
                          "--threads", "1", "--out", "some"},
                         {.folder = folder_.path()});
  while (!fs::exists(folder_ / "some" / "pictures" / "000009.png") && !program.has_ended()) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  program.send(SIGINT);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGINT) << result.errors;
  int64_t done = 0;
  for (const std::string& status : statuses_in(folder_ / "some" / "samples.jsonl")) {
    done += status == "arrived" ? 1 : 0;
    EXPECT_TRUE(status == "arrived" || status == "cancelled") << status;
  }
  EXPECT_GE(done, 10);
  EXPECT_TRUE(contains(result.errors, std::to_string(done) + " of 1000000 samples are done"))
      << result.errors;
  const auto pictures = std::distance(fs::directory_iterator(folder_ / "some" / "pictures"), {});
  EXPECT_EQ(pictures, done);
  const NpyArray kept = NpzFile::open(folder_ / "some.npz").read("arr_0", 1 << 30);
  EXPECT_EQ(kept.shape[0], done);
}

TEST_F(TrainCli, a_unet_trains_samples_exports_and_is_imported_again) {
  const Words unet = {"train", "--model", "unet-small", "--width", "32", "--steps", "2"};
  for (const auto& [out, more] : std::vector<std::pair<std::string, Words>>{
           {"timeless", {"--no-time-input"}},
           {"flow", {"--objective", "fm", "--dropout", "0.2"}}}) {
    const ProgramResult trained = run(joined(unet, joined(any_run(out), more)));
    ASSERT_EQ(trained.exit_code, 0) << trained.errors;
    const ProgramResult sampled =
        run({"sample", out, "--per-class", "1", "--limit", "2", "--out", out + "-pictures"});
    EXPECT_EQ(sampled.exit_code, 0) << sampled.errors;
    EXPECT_TRUE(fs::exists(folder_ / (out + "-pictures") / "grid.png"));
    EXPECT_TRUE(contains(run({"info", out}).output, "unet: ")) << out;
  }
  const std::string torch = "torch.safetensors";
  EXPECT_EQ(run({"export", "flow", "--for", "reference", "--out", torch}).exit_code, 0);
  const SafetensorsFile file = SafetensorsFile::open(folder_ / torch);
  std::vector<NamedTensor> weights;
  for (const std::string& name : file.names()) weights.push_back({name, file.at(name)});
  write_safetensors(folder_ / "bare.safetensors", weights);
  const ProgramResult imported =
      run({"import", "bare.safetensors", "--size", "8", "--out", "again.safetensors"});
  EXPECT_EQ(imported.exit_code, 0) << imported.errors;
  EXPECT_TRUE(contains(imported.output, "unet: ")) << imported.output;
  EXPECT_TRUE(contains(imported.output, "fm")) << imported.output;
  const auto pixels = [&](const std::string& model) {
    const ProgramResult sampled = run({"sample", model, "--labels", "1", "--per-class", "2",
                                       "--limit", "2", "--npz", "p.npz", "--out", "p"});
    EXPECT_EQ(sampled.exit_code, 0) << sampled.errors;
    return NpzFile::open(folder_ / "p.npz").read("arr_0", 1 << 20).bytes;
  };
  EXPECT_EQ(pixels("again.safetensors"), pixels("flow"));
  expect_failure(joined(small_run("x"), {"--dropout", "0.1"}), 2, "only a U-Net", "unet-small");
  expect_failure(joined(unet, joined(any_run("x"), {"--no-time-input", "--objective", "fm"})), 2,
                 "shows the time", "leave --time-input on");
}

TEST_F(TrainCli, samples_by_every_rule_with_records_traces_and_histograms) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "5"})).exit_code, 0);
  for (const char* rule : {"gd", "nesterov", "nesterov-velocity", "heavy-ball", "adam", "rmsprop",
                           "barzilai-borwein", "langevin", "land", "heun", "dopri5"}) {
    const ProgramResult sampled = run({"sample", "run", "--per-class", "1", "--limit", "3",
                                       "--rule", rule, "--no-pictures", "--out", rule});
    EXPECT_EQ(sampled.exit_code, 0) << rule << sampled.errors;
    EXPECT_FALSE(fs::exists(folder_ / rule / "pictures"));
  }
  const ProgramResult mixed =
      run({"sample", "run", "--mix", "0:1,1:0.5,null:-0.5", "--per-class", "3", "--limit", "4",
           "--threshold", "1", "--trace", "--histogram", "--out", "mix"});
  EXPECT_EQ(mixed.exit_code, 0) << mixed.errors;
  for (const char* file : {"grid.png", "trace.png", "steps.png", "steps.svg"}) {
    EXPECT_TRUE(fs::exists(folder_ / "mix" / file)) << file;
  }
  const std::vector<std::string> lines = read_lines(folder_ / "mix" / "samples.jsonl");
  ASSERT_EQ(lines.size(), 3U);
  for (const char* part : {R"("sample":2)", R"("status":")", R"("energy":null)", R"("steps":)"}) {
    EXPECT_TRUE(contains(lines[2], part)) << part << lines[2];
  }
}

TEST_F(TrainCli, draws_samples_on_their_way) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "5"})).exit_code, 0);
  const auto names_in = [&](const std::string& out) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / out)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  };
  // More steps than states are kept, so that the way is thinned out.
  const ProgramResult sampled =
      run({"sample", "run", "--rule", "gd", "--per-class", "3", "--limit", "90", "--trace",
           "--animate", "--no-pictures", "--out", "way"});
  ASSERT_EQ(sampled.exit_code, 0) << sampled.errors;
  for (const char* file : {"descent.png", "norms.png", "norms.svg", "trace.csv", "trace.png"}) {
    EXPECT_TRUE(names_in("way").contains(file)) << file;
    EXPECT_TRUE(contains(sampled.errors, file)) << sampled.errors;
  }
  EXPECT_FALSE(names_in("way").contains("energies.png")) << "the model has none";

  const std::vector<std::string> table = read_lines(folder_ / "way" / "trace.csv");
  EXPECT_EQ(table.at(0), "sample,label,step,norm,energy");
  const int64_t samples =
      static_cast<int64_t>(read_lines(folder_ / "way" / "samples.jsonl").size());
  EXPECT_EQ(static_cast<int64_t>(table.size()), 1 + 90 * samples) << "a line for every step";

  const std::string animation = content_of(folder_ / "way" / "descent.png");
  const size_t control = animation.find("acTL");
  ASSERT_NE(control, std::string::npos);
  const int frames = static_cast<uint8_t>(animation.at(control + 7));
  EXPECT_GT(frames, 15);
  EXPECT_LE(frames, 41);
  size_t found = 0;
  for (size_t at = animation.find("fcTL"); at != std::string::npos;
       at = animation.find("fcTL", at + 4)) {
    ++found;
  }
  EXPECT_EQ(found, static_cast<size_t>(frames));
  const Image still = read_png(folder_ / "way" / "descent.png");
  EXPECT_GT(still.width, 3 * 56) << "pictures are enlarged";

  // Another run into the same folder leaves no figures of other samples beside its own.
  const ProgramResult again = run({"sample", "run", "--rule", "gd", "--per-class", "2", "--limit",
                                   "4", "--no-pictures", "--out", "way"});
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_TRUE(contains(again.errors,
                       "removed trace.png, trace.csv, norms.png, norms.svg, "
                       "descent.png of an earlier run"))
      << again.errors;
  EXPECT_EQ(names_in("way"), (std::set<std::string>{"grid.png", "samples.jsonl"}));
}

TEST_F(TrainCli, an_interrupted_denoise_says_what_it_kept) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "2"})).exit_code, 0);
  RunningProgram program({"denoise", "run", "--data", "data.safetensors", "--count", "4", "--rule",
                          "gd", "--eta", "1e-9", "--limit", "1000000", "--out", "clean"},
                         {.folder = folder_.path()});
  ASSERT_TRUE(program.wait_for("denoising"));
  program.send(SIGINT);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGINT) << result.errors;
  EXPECT_TRUE(contains(result.errors, "none of 4 images is done, so nothing is written to clean"))
      << result.errors;
  EXPECT_FALSE(fs::exists(folder_ / "clean"));
}

TEST_F(TrainCli, draws_energies_where_the_model_has_one) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "3", "--objective", "eqm-dot"})).exit_code, 0);
  const ProgramResult sampled = run({"sample", "run", "--rule", "gd", "--per-class", "1", "--limit",
                                     "5", "--trace", "--no-pictures", "--out", "way"});
  ASSERT_EQ(sampled.exit_code, 0) << sampled.errors;
  EXPECT_TRUE(fs::exists(folder_ / "way" / "energies.svg"));
  const std::vector<std::string> table = read_lines(folder_ / "way" / "trace.csv");
  EXPECT_NE(table.at(1).back(), ',') << "the energy is missing";
}

TEST_F(TrainCli, denoises_images_of_a_set) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "5"})).exit_code, 0);
  const ProgramResult done = run({"denoise", "run", "--data", "data.safetensors", "--count", "4",
                                  "--gamma", "0.5", "--limit", "3", "--out", "clean"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_TRUE(contains(done.output, "PSNR")) << done.output;
  EXPECT_TRUE(fs::exists(folder_ / "clean" / "denoise.png"));
  const ProgramResult as_is = run({"denoise", "run", "--data", "data.safetensors", "--gamma", "1",
                                   "--label", "null", "--limit", "2", "--out", "clean"});
  EXPECT_EQ(as_is.exit_code, 0) << as_is.errors;
  EXPECT_FALSE(contains(as_is.output, "PSNR")) << as_is.output;
}

TEST_F(TrainCli, folders_to_resume_and_sizes_by_ear_get_a_hint) {
  expect_failure({"train", "--resume", "runs/mine"}, 2, "unexpected argument 'runs/mine'",
                 "--resume --out runs/mine");
  expect_failure({"train", "--data", "data.safetensors", "--model", "xs4"}, 2, "'xs4'", "'XS/4'");
}

TEST_F(TrainCli, refuses_samplings_that_make_no_sense) {
  ASSERT_EQ(run(joined(small_run("run"), {"--steps", "2"})).exit_code, 0);
  expect_failure({"sample", "run", "--mix", "0:1", "--guidance", "2"}, 2, "a mix contains",
                 "--labels");
  expect_failure({"sample", "run", "--mix", "0:0"}, 2, "all weights", "at least one");
  expect_failure({"sample", "run", "--mix", "0:x"}, 2, "behind its colon", "label:weight");
  expect_failure({"sample", "run", "--rule", "backtracking"}, 2, "compares energies", "eqm-dot");
  expect_failure({"sample", "run", "--rule", "sde-euler"}, 2, "an SDE needs", "langevin");
  expect_failure({"sample", "run", "--limit", "-1"}, 2, "limit", "");
  expect_failure({"sample", "run", "--threshold", "-1"}, 2, "threshold", "");
  expect_failure({"denoise", "run"}, 2, "no images", "--data");
  expect_failure({"denoise", "run", "--data", "nowhere"}, 2, "nowhere", "");
  expect_failure({"denoise", "run", "--data", "data.safetensors", "--label", "9"}, 2,
                 "no class '9'", "");
  expect_failure({"denoise", "run", "--data", "data.safetensors", "--gamma", "2"}, 2, "gamma", "");
}

}  // namespace
}  // namespace eqm::test
