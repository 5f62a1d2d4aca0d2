// Benchmarks from outside: tables and refusals, with models of seconds.
#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/io/safetensors.h"
#include "tests/cli/run_program.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Two classes of 8x8 pictures, dark and bright, a landscape and a judge of them.
class BenchCli : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = std::make_unique<TemporaryFolder>();
    constexpr int64_t kExamples = 64;
    std::vector<uint8_t> pixels;
    std::vector<int64_t> labels;
    for (int64_t i = 0; i < kExamples; ++i) {
      labels.push_back(i % 2);
      for (int64_t k = 0; k < 64; ++k) {
        pixels.push_back(static_cast<uint8_t>(150 * (i % 2) + (i * 37 + k * 11) % 64));
      }
    }
    write_safetensors(
        *shared_ / "data.safetensors",
        {{"images", {Dtype::u8, {kExamples, 1, 8, 8}, std::as_bytes(std::span(pixels))}},
         {"labels", {Dtype::i64, {kExamples}, std::as_bytes(std::span(labels))}}});
    train({"--model", "XS/4", "--width", "16", "--depth", "1", "--heads", "1", "--sample-every",
           "0", "--out", "landscape"});
    train({"--model", "convnet", "--objective", "classifier", "--width", "4", "--out", "judge"});
  }
  static void TearDownTestSuite() { shared_.reset(); }

  static void train(const Words& more) {
    Words words = {
        "train", "--data", "data.safetensors", "--held-out", "0",     "--batch", "16",
        "--lr",  "0.003",  "--steps",          "40",         "--ema", "0.9",     "--threads",
        "1"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_program(words, {.folder = shared_->path()});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }

  // With these options and what others it takes.
  static ProgramResult bench(const std::string& subject,
                             const std::map<std::string, std::string>& changed) {
    std::map<std::string, std::string> options = {
        {"--model", "landscape"}, {"--judge", "judge"}, {"--data", "data.safetensors"},
        {"--samples", "8"},       {"--rows", "4"},      {"--threads", "1"},
        {"--limit", "6"}};
    for (const auto& [name, value] : changed) options[name] = value;
    Words words = {"bench", subject};
    for (const auto& [name, value] : options) words.insert(words.end(), {name, value});
    return run_program(words, {.folder = shared_->path()});
  }

  static nlohmann::json json_in(const std::string& name) {
    std::ifstream file(*shared_ / name);
    return nlohmann::json::parse(file);
  }

  static std::unique_ptr<TemporaryFolder> shared_;
};

std::unique_ptr<TemporaryFolder> BenchCli::shared_;

TEST_F(BenchCli, compares_three_ways_to_draw_the_same_samples) {
  const ProgramResult result = bench("engine", {{"--threshold", "0"}, {"--json", "engine.json"}});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  for (const char* part : {"fixed steps", "masked batch", "the engine", "distance"}) {
    EXPECT_TRUE(contains(result.output, part)) << part << " is not in:\n" << result.output;
  }
  const nlohmann::json figures = json_in("engine.json");
  ASSERT_EQ(figures.at("ways").size(), 3U);
  const double distance = figures.at("ways")[0].at("distance");
  for (const auto& way : figures.at("ways")) {
    EXPECT_EQ(way.at("evaluations"), 8 * 6);
    EXPECT_NEAR(way.at("distance").get<double>(), distance, 0.01 * distance + 1e-3);
  }
}

TEST_F(BenchCli, finds_how_many_evaluations_rules_need) {
  const ProgramResult result = bench("rules", {{"--json", "rules.json"}});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json figures = json_in("rules.json");
  EXPECT_EQ(figures.at("rows")[0].at("rule"), "nesterov");
  EXPECT_EQ(figures.at("rows")[0].at("evaluations"), 6);
  for (const char* rule : {"gd", "adam", "land"}) {
    EXPECT_TRUE(contains(result.output, rule)) << result.output;
  }
}

TEST_F(BenchCli, sweeps_a_grid_and_does_not_repeat_what_it_knows) {
  const auto sweep = [](const std::string& grid, const std::string& out) {
    return run_program(
        {"sweep", "--model", "landscape", "--judge", "judge", "--data", "data.safetensors",
         "--samples", "8", "--threads", "1", "--grid", grid, "--out", out},
        {.folder = shared_->path()});
  };
  const auto lines = [](const std::string& name) {
    std::ifstream file(*shared_ / name);
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  const ProgramResult first = sweep("rule=gd,land limit=3", "sweep");
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_EQ(lines("sweep/sweep.jsonl"), 2);
  const ProgramResult again = sweep("rule=gd,land limit=3", "sweep");
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(lines("sweep/sweep.jsonl"), 2) << "nothing is new";
  const ProgramResult wider = sweep("rule=gd,land limit=3,5", "sweep");
  ASSERT_EQ(wider.exit_code, 0) << wider.errors;
  EXPECT_EQ(lines("sweep/sweep.jsonl"), 4) << "only what is new is measured";
  EXPECT_EQ(lines("sweep/sweep.csv"), 5);
  for (const char* file : {"by-limit.png", "by-limit.svg", "by-evaluations.png"}) {
    EXPECT_TRUE(fs::exists(*shared_ / "sweep" / file)) << file;
  }
  EXPECT_FALSE(fs::exists(*shared_ / "sweep/by-rule.png")) << "rules are no numbers";
  const auto expect = [&](const std::string& grid, const std::string& part) {
    const ProgramResult result = sweep(grid, "refused");
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_TRUE(contains(result.errors, part)) << result.errors;
    EXPECT_FALSE(fs::exists(*shared_ / "refused"));
  };
  expect("", "the grid is empty");
  expect("limit", "no axis");
  expect("limit=3 limit=4", "no axis");
  expect("limt=3", "limt");
  expect("limit=many", "limit");
  expect("rule=sde-euler", "SDE");
  std::ofstream(*shared_ / "sweep/sweep.jsonl") << "{}\n";
  EXPECT_EQ(sweep("limit=3", "sweep").exit_code, 3);
}

TEST_F(BenchCli, compares_kernels_with_plain_ones_and_draws_how_cost_grows) {
  const auto kernels = [](const Words& more) {
    Words words = {"bench", "--rounds", "1", "--seconds", "0", "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, {.folder = shared_->path()});
  };
  const ProgramResult result =
      kernels({"operators", "--only", "XS/4 gated residual", "--json", "operators.json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(contains(result.output, "FMA peak")) << result.output;
  const nlohmann::json figures = json_in("operators.json");
  ASSERT_EQ(figures.at("results").size(), 2U) << "alone, and with its gradients";
  EXPECT_GT(figures.at("results")[0].at("ratio"), 0);
  EXPECT_GT(figures.at("fma_peak_gflops"), 0);
  const ProgramResult sweep = kernels({"sweeps", "--only", "XS/4", "--out", "sweeps"});
  ASSERT_EQ(sweep.exit_code, 0) << sweep.errors;
  EXPECT_TRUE(fs::exists(*shared_ / "sweeps/by-batch.png"));
  EXPECT_FALSE(fs::exists(*shared_ / "sweeps/by-width.png")) << "nothing was measured of it";
  EXPECT_EQ(kernels({"steps", "--only", "nothing"}).exit_code, 2);
  const ProgramResult nowhere =
      kernels({"operators", "--only", "gated", "--json", "no/such/folder.json"});
  EXPECT_EQ(nowhere.exit_code, 4) << nowhere.errors;
  EXPECT_EQ(nowhere.output, "") << "refused before anything is measured";
}

TEST_F(BenchCli, evaluates_samples_and_pictures) {
  const auto evaluate = [](const Words& more, const std::string& samples = "40") {
    Words words = {"evaluate", "--judge",   "judge", "--data",        "data.safetensors",
                   "--limit",  "4",         "--out", "evaluation",    "--threads",
                   "1",        "--samples", samples, "--resamplings", "5"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, {.folder = shared_->path()});
  };
  const ProgramResult drawn = evaluate({"--model", "landscape", "--floor"});
  ASSERT_EQ(drawn.exit_code, 0) << drawn.errors;
  EXPECT_TRUE(contains(drawn.errors, "no test part")) << drawn.errors;
  const nlohmann::json sets = json_in("evaluation/evaluation.json").at("sets");
  ASSERT_EQ(sets.size(), 2U) << "samples and noise";
  EXPECT_EQ(sets[0].at("count"), 40);
  EXPECT_LE(sets[0].at("frechet_range")[0], sets[0].at("frechet_range")[1]);
  EXPECT_TRUE(sets[0].contains("accuracy")) << "samples have labels";
  EXPECT_FALSE(sets[1].contains("accuracy")) << "noise has none";
  EXPECT_TRUE(fs::exists(*shared_ / "evaluation/evaluation.png"));

  // The data themselves are as good as can be.
  const ProgramResult same = evaluate({"--pictures", "data.safetensors"}, "64");
  ASSERT_EQ(same.exit_code, 0) << same.errors;
  const nlohmann::json own = json_in("evaluation/evaluation.json").at("sets")[0];
  EXPECT_NEAR(own.at("frechet_distance").get<double>(), 0, 1e-3);
  EXPECT_EQ(own.at("precision"), 1);
  EXPECT_EQ(own.at("coverage"), 1);

  EXPECT_EQ(evaluate({}).exit_code, 2);
  EXPECT_EQ(evaluate({"--model", "landscape", "--pictures", "data.safetensors"}).exit_code, 2);
  EXPECT_EQ(evaluate({"--pictures", "./nowhere"}).exit_code, 4);
  EXPECT_EQ(evaluate({"--pictures", "data.safetensors", "--neighbours", "90"}).exit_code, 2);
}

TEST_F(BenchCli, refuses_what_cannot_judge_or_be_judged) {
  const auto expect = [](const ProgramResult& result, int code, const std::string& part) {
    EXPECT_EQ(result.exit_code, code) << result.errors;
    EXPECT_TRUE(contains(result.errors, part)) << result.errors;
    EXPECT_TRUE(contains(result.errors, "hint: ")) << result.errors;
  };
  expect(bench("engine", {{"--judge", "landscape"}}), 3, "the judge must be a classifier");
  expect(bench("engine", {{"--model", "judge"}}), 3, "has no landscape");
  expect(bench("speed", {}), 2, "speed");
  expect(bench("engine", {{"--samples", "1"}}), 2, "samples");
  expect(bench("engine", {{"--judge", "nobody"}}), 4, "nobody");
}

}  // namespace
}  // namespace eqm::test
