// Benchmarks from outside: tables and refusals, with models of seconds.
#include <algorithm>
#include <fstream>
#include <map>
#include <string>

#include "tests/cli/tiny_models.h"
#include "tests/support/content_of.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;

class BenchCli : public TinyModels {
 protected:
  // With these options and what others it takes.
  static ProgramResult bench(const std::string& subject,
                             const std::map<std::string, std::string>& changed) {
    std::map<std::string, std::string> options = {
        {"--model", "landscape"}, {"--features", "judge"}, {"--reference", "data.safetensors"},
        {"--samples", "8"},       {"--rows", "4"},         {"--threads", "1"},
        {"--limit", "6"}};
    for (const auto& [name, value] : changed) options[name] = value;
    Words words = {"bench", subject};
    for (const auto& [name, value] : options) words.insert(words.end(), {name, value});
    return run_program(words, {.folder = shared_->path()});
  }
};

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
        {"sweep", "--model", "landscape", "--features", "judge", "--reference", "data.safetensors",
         "--samples", "8", "--threads", "1", "--grid", grid, "--out", out},
        {.folder = shared_->path()});
  };
  const auto lines = [](const std::string& name) {
    const std::string text = content_of(*shared_ / name);
    return std::count(text.begin(), text.end(), '\n');
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
  expect("limit", "cannot be an axis");
  expect("limit=3 limit=4", "cannot be an axis");
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
    // With SSE4 the sweep takes 20 s of an idle processor, and minutes of a busy one.
    return run_program(words, {.folder = shared_->path(), .limit = std::chrono::seconds(240)});
  };
  const ProgramResult result =
      kernels({"operators", "--only", "xs/4 Gated residual", "--json", "operators.json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(contains(result.output, "FMA peak")) << result.output;
  const nlohmann::json figures = json_in("operators.json");
  ASSERT_EQ(figures.at("results").size(), 2U) << "alone, and with its gradients";
  EXPECT_GT(figures.at("results")[0].at("ratio"), 0);
  EXPECT_GT(figures.at("results")[0].at("fma_peak_gflops"), 0);
  EXPECT_EQ(figures.at("subject"), "operators");
  EXPECT_EQ(figures.at("clock"), "wall");
  EXPECT_TRUE(contains(result.errors, "wrote the figures to operators.json")) << result.errors;
  const ProgramResult sweep = kernels({"sweeps", "--only", "XS/4", "--out", "sweeps"});
  ASSERT_EQ(sweep.exit_code, 0) << sweep.errors;
  EXPECT_TRUE(fs::exists(*shared_ / "sweeps/by-batch.png"));
  EXPECT_FALSE(fs::exists(*shared_ / "sweeps/by-width.png")) << "nothing was measured of it";
  EXPECT_TRUE(contains(sweep.errors, "by-batch.svg to sweeps")) << sweep.errors;
  const ProgramResult unknown = kernels({"operators", "--only", "nothing"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.errors, "S/2 forward, batch 8")) << unknown.errors;
  const ProgramResult nowhere =
      kernels({"operators", "--only", "gated", "--json", "no/such/folder.json"});
  EXPECT_EQ(nowhere.exit_code, 4) << nowhere.errors;
  EXPECT_EQ(nowhere.output, "") << "refused before anything is measured";
  const ProgramResult alone = kernels({"operators", "--only", "XS/4 gated residual", "--ours-alone",
                                       "--out", "drawn", "--limit", "3"});
  EXPECT_EQ(alone.exit_code, 0) << alone.errors;
  EXPECT_TRUE(contains(alone.output, " - ")) << alone.output;
  EXPECT_TRUE(contains(alone.errors, "--out is for sweeps")) << alone.errors;
  EXPECT_TRUE(contains(alone.errors, "operators does nothing with --limit")) << alone.errors;
  EXPECT_FALSE(fs::exists(*shared_ / "drawn"));
}

TEST_F(BenchCli, refuses_what_cannot_judge_or_be_judged) {
  const auto expect = [](const ProgramResult& result, int code, const std::string& part) {
    EXPECT_EQ(result.exit_code, code) << result.errors;
    EXPECT_TRUE(contains(result.errors, part)) << result.errors;
    EXPECT_TRUE(contains(result.errors, "hint: ")) << result.errors;
  };
  expect(bench("engine", {{"--features", "landscape"}}), 3, "features need a classifier");
  expect(bench("engine", {{"--model", "judge"}}), 3, "has no landscape");
  expect(bench("speed", {}), 2, "speed");
  expect(bench("engine", {{"--samples", "1"}}), 2, "samples");
  expect(bench("engine", {{"--features", "nobody"}}), 2, "nobody");
}

}  // namespace
}  // namespace eqm::test
