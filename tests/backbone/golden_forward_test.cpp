// Parity of the SiT backbone with the reference: outputs, every intermediate value, and the fixed
// tables.
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "eqm/backbone/embeddings.h"
#include "eqm/kernel/ops.h"
#include "eqm/landscape/objective.h"
#include "tests/support/golden.h"

namespace eqm::test {
namespace {

constexpr double kForwardTolerance = 5e-6;
constexpr double kTableTolerance = 1e-6;
constexpr double kLargeTimeTolerance = 1e-4;  // float32 angles lose digits as t grows

TEST(GoldenForward, outputs_and_stages_match_the_reference) {
  for (const GoldenCase& golden : golden_cases("forward")) {
    for (const torch::ScalarType type : kPrecisions) {
      const Model model = golden.model(ObjectiveKind::eqm, type);
      auto& sit = static_cast<Sit&>(*model.backbone);
      const torch::NoGradGuard guard;
      const Tensor x = golden.input("x", type), labels = golden.integers("y");
      const double limit = tolerance(type, kForwardTolerance);
      EXPECT_TRUE(close(sit.embed_patches(x), golden.expected("patch_tokens"), limit));
      for (const std::string mode : {"uncond", "cond"}) {
        SCOPED_TRACE(golden.name() + " " + mode + " " + torch::toString(type));
        const Tensor t = mode == "cond" ? golden.input("t", type) : torch::zeros({x.size(0)}, type);
        const Condition condition = {.labels = labels, .time = t};
        EXPECT_TRUE(close(sit.embed_time(t), golden.expected(mode + ".t_emb"), limit));
        const Tensor c = sit.embed_condition(condition, x.size(0));
        EXPECT_TRUE(close(c, golden.expected(mode + ".c"), limit));
        const std::vector<Tensor> modulation = sit.modulation(c);
        const int64_t grid = sit.config().input_size / sit.config().patch_size;
        Tensor h = sit.embed_patches(x) +
                   position_table(sit.config().hidden_size, grid).to(torch::kFloat32).to(type);
        for (int64_t i = 0; i < sit.config().depth; ++i) {
          h = sit.run_block(static_cast<size_t>(i), h, modulation[static_cast<size_t>(i)]);
          EXPECT_TRUE(close(h, golden.expected(fmt::format("{}.block{}", mode, i)), limit)) << i;
        }
        const Tensor image = sit.finish(h, modulation.back());
        EXPECT_TRUE(close(image,
                          kernel::unpatchify(golden.expected(mode + ".final_tokens"),
                                             sit.config().patch_size, image.size(1)),
                          limit));
        EXPECT_TRUE(close(sit.forward(x, condition).output, golden.expected("out_" + mode), limit));
      }
    }
  }
}

TEST(GoldenTables, position_tables_match_the_reference) {
  for (const GoldenCase& golden : golden_cases("tables")) {
    int compared = 0;
    for (const std::string& name : golden.file().names()) {
      int width = 0, grid = 0;
      if (std::sscanf(name.c_str(), "pos.d%d_g%d.f64", &width, &grid) != 2) continue;
      if (!name.ends_with(".f64")) continue;
      const std::string plain = name.substr(0, name.size() - 4);
      EXPECT_TRUE(close(position_table(width, grid), golden.expected(plain), 1e-12)) << name;
      ++compared;
    }
    EXPECT_GT(compared, 0);
  }
}

TEST(GoldenTables, time_features_match_the_reference) {
  for (const GoldenCase& golden : golden_cases("tables")) {
    int compared = 0;
    for (const std::string& name : golden.file().names()) {
      int width = 0;
      if (std::sscanf(name.c_str(), "te.d%d.f64", &width) != 1 || !name.ends_with(".f64")) continue;
      const Tensor expected = golden.expected(name.substr(0, name.size() - 4));
      const Tensor wide = time_features(golden.input("te.t", torch::kFloat64), width);
      EXPECT_TRUE(close_absolute(wide, expected, 1e-10)) << name;
      const Tensor t = golden.input("te.t", torch::kFloat32);
      const Tensor narrow = time_features(t, width);
      const Tensor small = (t.abs() <= 1.5).nonzero().squeeze(1);
      EXPECT_TRUE(close_absolute(narrow.index_select(0, small), expected.index_select(0, small),
                                 kTableTolerance))
          << name;
      EXPECT_TRUE(close_absolute(narrow, expected, kLargeTimeTolerance)) << name;
      ++compared;
    }
    EXPECT_GT(compared, 0);
  }
}

TEST(GoldenTables, unpatchify_matches_the_reference_exactly) {
  for (const GoldenCase& golden : golden_cases("tables")) {
    const auto shape = golden.meta_json("unpatchify");
    for (const std::string kind : {"", "ramp_"}) {
      const Tensor image =
          kernel::unpatchify(golden.input("unpatchify." + kind + "tokens", torch::kFloat32),
                             shape.at("patch_size"), shape.at("out_channels"));
      EXPECT_TRUE(
          torch::equal(image, golden.input("unpatchify." + kind + "image", torch::kFloat32)));
    }
  }
}

TEST(GoldenTables, label_rows_and_forced_drops_match_the_reference) {
  for (const GoldenCase& golden : golden_cases("tables")) {
    const auto config = golden.meta_json("label");
    const int64_t classes = config.at("num_classes");
    const Tensor table = golden.input("label.table", torch::kFloat32);
    const Tensor labels = golden.integers("label.labels");
    EXPECT_EQ(table.size(0), classes + 1);
    EXPECT_TRUE(torch::equal(table.index_select(0, labels),
                             golden.input("label.emb_eval", torch::kFloat32)));
    // A forced drop is a draw below any probability.
    const Tensor draws = 1 - golden.integers("label.force_drop_ids").to(torch::kFloat32);
    const Tensor dropped = drop_labels(labels, draws, 0.5, classes);
    EXPECT_TRUE(torch::equal(table.index_select(0, dropped),
                             golden.input("label.emb_forced", torch::kFloat32)));
  }
}

TEST(GoldenZoo, presets_have_the_reference_parameter_counts) {
  std::ifstream file(golden_folder() / "model_zoo.json");
  ASSERT_TRUE(file) << golden_folder();
  const nlohmann::json zoo = nlohmann::json::parse(file);
  for (const auto& [name, entry] : zoo.items()) {
    if (!entry.contains("hidden_size")) continue;  // notes beside the models
    const SitConfig preset = sit_preset(name.substr(name.find('-') + 1));
    EXPECT_EQ(preset.depth, entry.at("depth").get<int64_t>()) << name;
    EXPECT_EQ(preset.hidden_size, entry.at("hidden_size").get<int64_t>()) << name;
    EXPECT_EQ(preset.num_heads, entry.at("num_heads").get<int64_t>()) << name;
    EXPECT_EQ(preset.patch_size, entry.at("patch_size").get<int64_t>()) << name;
    // Only the small ones are built: the largest would need gigabytes.
    if (preset.hidden_size > 384) continue;
    const Sit sit(sit_config_from_json(entry.dump()));
    EXPECT_EQ(parameter_count(sit), entry.at("total_params_incl_pos_embed").get<int64_t>()) << name;
  }
}

}  // namespace
}  // namespace eqm::test
