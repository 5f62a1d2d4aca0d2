// Every recipe that is shipped reads, is valid, and names a network that is known.
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "eqm/backbone/kinds.h"
#include "eqm/base/toml.h"
#include "eqm/tensor/runtime.h"
#include "eqm/train/options.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;

fs::path recipes() {
  return EQM_SOURCE_FOLDER "/recipes";
}

TrainOptions read(const fs::path& path) {
  TrainOptions options;
  OptionSet set;
  options.declare(set);
  read_toml_file(set, path);
  return options;
}

// The network for the data that the recipe is named after.
std::string architecture_of(const std::string& recipe, const TrainOptions& options) {
  const bool latents = recipe.starts_with("imagenet"), colours = recipe.starts_with("cifar10");
  const Shape grey = {1, 28, 28}, colour = {3, 32, 32}, latent = {4, 32, 32};
  return plan_backbone({.preset = options.model.model,
                        .width = options.model.width,
                        .depth = options.model.depth,
                        .heads = options.model.heads,
                        .state = latents   ? latent
                                 : colours ? colour
                                           : grey,
                        .classes = !options.model.class_input ? 0
                                   : latents                  ? 1000
                                                              : 10,
                        .label_dropout = options.model.label_dropout,
                        .sees_time = sees_time(options.objective.kind),
                        .time_input = options.model.time_input,
                        .dropout = options.model.dropout});
}

TEST(Recipes, all_are_valid_and_their_networks_fit_their_data) {
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(recipes())) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().filename());
    const TrainOptions options = read(entry.path());
    EXPECT_NO_THROW(options.validate());
    EXPECT_GT(cost_of(architecture_of(entry.path().stem(), options)).weights, 0);
    ++count;
  }
  EXPECT_GE(count, 50);
}

// Every option that differs from those of fashion-xs4, with its value.
std::map<std::string, std::string> changes_of(const fs::path& path) {
  TrainOptions base = read(recipes() / "fashion-xs4.toml"), other = read(path);
  OptionSet before, after;
  base.declare(before);
  other.declare(after);
  std::map<std::string, std::string> changes;
  for (const Option& option : after.options()) {
    if (option.get() != before.find(option.name)->get()) {
      changes[option.key()] = to_text(option.get());
    }
  }
  return changes;
}

TEST(Recipes, ablations_change_what_their_name_says_and_nothing_else) {
  using Changes = std::map<std::string, std::string>;
  const std::pair<std::string, std::string> kTableLambda = {"landscape.lambda", "1"};
  const std::map<std::string, Changes> expected = {
      {"fashion-c-constant", {{"landscape.c", "constant"}, kTableLambda}},
      {"fashion-c-linear", {{"landscape.c", "linear"}, kTableLambda}},
      {"fashion-c-piecewise-0.8",
       {{"landscape.c", "piecewise"}, {"landscape.b", "0.8"}, kTableLambda}},
      {"fashion-c-piecewise-1.4", {{"landscape.c", "piecewise"}, kTableLambda}},  // 1.4: default
      {"fashion-c-truncated-0.5", {{"landscape.a", "0.5"}, kTableLambda}},
      {"fashion-c-truncated-0.8", {kTableLambda}},
      {"fashion-c-truncated-0.9", {{"landscape.a", "0.9"}, kTableLambda}},
      {"fashion-dispersive", {{"landscape.dispersive", "0.5"}}},
      {"fashion-eqm-dot", {{"landscape.objective", "eqm-dot"}}},
      {"fashion-eqm-l2",
       {{"landscape.objective", "eqm-l2"},
        {"model.init", "runs/fashion-eqm-l2-start"},
        {"training.steps", "5250"},
        {"training.seed", "1"}}},
      {"fashion-eqm-l2-start", {{"training.steps", "750"}}},
      {"fashion-fm", {{"landscape.objective", "fm"}}},
      {"fashion-fm-unconditional", {{"landscape.objective", "fm-unconditional"}}},
      {"fashion-lambda-1", {{"landscape.lambda", "1"}}},
      {"fashion-lambda-16", {{"landscape.lambda", "16"}}},
      {"fashion-lambda-2", {{"landscape.lambda", "2"}}},
      {"fashion-lambda-8", {{"landscape.lambda", "8"}}},
      {"fashion-noise-condition", {{"landscape.objective", "eqm-noise-condition"}}}};
  std::map<std::string, Changes> found;
  for (const auto& entry : fs::directory_iterator(recipes() / "ablations")) {
    const std::string name = entry.path().stem();
    if (name.starts_with("fashion-")) found[name] = changes_of(entry.path());
  }
  EXPECT_EQ(found, expected);
}

TEST(Recipes, an_l2_energy_is_trained_as_long_as_its_rivals_an_eighth_of_it_as_eqm) {
  const TrainOptions rival = read(recipes() / "ablations/fashion-eqm-dot.toml");
  const TrainOptions start = read(recipes() / "ablations/fashion-eqm-l2-start.toml");
  const TrainOptions rest = read(recipes() / "ablations/fashion-eqm-l2.toml");
  EXPECT_EQ(start.steps + rest.steps, rival.steps);
  EXPECT_EQ(8 * start.steps, rival.steps);
  EXPECT_NE(start.seed, rest.seed) << "the same noise would come twice";
}

TEST(Recipes, imagenet_has_the_papers_settings) {
  for (const auto& entry : fs::recursive_directory_iterator(recipes())) {
    const std::string name = entry.path().stem();
    if (!name.starts_with("imagenet256-")) continue;
    SCOPED_TRACE(name);
    const TrainOptions options = read(entry.path());
    EXPECT_EQ(options.batch, 256);
    EXPECT_EQ(options.schedule.lr, 1e-4);
    EXPECT_EQ(options.schedule.kind, ScheduleKind::constant);
    EXPECT_EQ(options.ema, 0.9999);
    EXPECT_EQ(options.adamw.weight_decay, 0);
    EXPECT_EQ(options.data.scale, 0.18215);
    EXPECT_TRUE(options.data.flip);
    const bool table = name.starts_with("imagenet256-b2-c-");
    if (table) {
      EXPECT_EQ(options.objective.magnitude.lambda, 1);
    }
    const int64_t epochs_80 = 400'000, epochs_1400 = 7'000'000;
    const bool part = name.find("-l2-start") != std::string::npos || name.ends_with("b4-l2");
    if (!part) {
      EXPECT_EQ(options.steps, name.find("xl2") != std::string::npos ? epochs_1400 : epochs_80);
    }
  }
  const TrainOptions xl = read(recipes() / "imagenet256-xl2.toml");
  EXPECT_EQ(xl.objective.magnitude.lambda, 4);
  EXPECT_EQ(xl.descent.eta, 0.0017);
  EXPECT_EQ(xl.descent.mu, 0.3);
}

TEST(Recipes, imagenet_networks_have_as_many_weights_as_the_paper_says) {
  const std::map<std::string, double> millions = {
      {"imagenet256-s2", 33},     {"imagenet256-b2", 130},    {"imagenet256-b4", 130},
      {"imagenet256-b8", 131},    {"imagenet256-l2", 458},    {"imagenet256-xl2", 675},
      {"imagenet256-b2-fm", 130}, {"imagenet256-xl2-fm", 675}};
  for (const auto& [name, expected] : millions) {
    const TrainOptions options = read(recipes() / (name + ".toml"));
    EXPECT_NEAR(cost_of(architecture_of(name, options)).weights / 1e6, expected, 1.0) << name;
  }
}

TEST(Recipes, every_experiment_of_the_paper_at_imagenets_scale_has_its_file) {
  for (const char* name : {"imagenet256-s2",
                           "imagenet256-b2",
                           "imagenet256-b4",
                           "imagenet256-b8",
                           "imagenet256-l2",
                           "imagenet256-xl2",
                           "imagenet256-s2-fm",
                           "imagenet256-b2-fm",
                           "imagenet256-b4-fm",
                           "imagenet256-b8-fm",
                           "imagenet256-l2-fm",
                           "imagenet256-xl2-fm",
                           "imagenet256-b2-fm-unconditional",
                           "imagenet256-b2-noise-condition",
                           "imagenet256-b4-dot",
                           "imagenet256-b4-l2-start",
                           "imagenet256-b4-l2",
                           "ablations/imagenet256-b2-c-constant",
                           "ablations/imagenet256-b2-c-linear",
                           "ablations/imagenet256-b2-c-truncated-0.5",
                           "ablations/imagenet256-b2-c-truncated-0.8",
                           "ablations/imagenet256-b2-c-truncated-0.9",
                           "ablations/imagenet256-b2-c-piecewise-0.8",
                           "ablations/imagenet256-b2-c-piecewise-1.4",
                           "ablations/imagenet256-b2-lambda-1",
                           "ablations/imagenet256-b2-lambda-8"}) {
    EXPECT_TRUE(fs::exists(recipes() / (std::string(name) + ".toml"))) << name;
  }
}

TEST(Recipes, the_cifar_unets_are_trained_as_in_the_flow_matching_code_base) {
  const std::map<std::string, ObjectiveKind> kinds = {
      {"cifar10-unet", ObjectiveKind::eqm},
      {"cifar10-unet-fm", ObjectiveKind::fm},
      {"cifar10-unet-fm-unconditional", ObjectiveKind::fm_unconditional}};
  for (const auto& [name, kind] : kinds) {
    SCOPED_TRACE(name);
    const TrainOptions options = read(recipes() / (name + ".toml"));
    EXPECT_EQ(options.objective.kind, kind);
    EXPECT_EQ(options.model.model, "unet-cifar10");
    EXPECT_EQ(options.model.dropout, 0.3);
    EXPECT_FALSE(options.model.class_input);
    EXPECT_EQ(options.gamma, GammaDraw::skewed);
    EXPECT_EQ(options.batch, 8 * 64) << "64 on each of eight devices";
    EXPECT_EQ(options.epochs, 3000);
    EXPECT_EQ(options.schedule.lr, 1e-4);
    EXPECT_EQ(options.schedule.kind, ScheduleKind::constant);
    EXPECT_EQ(options.schedule.warm_up, 0);
    EXPECT_EQ(options.adamw.beta2, 0.95);
    EXPECT_EQ(options.adamw.weight_decay, 0.01) << "what PyTorch's AdamW has where none is given";
    EXPECT_EQ(options.ema, 0.999);
    EXPECT_TRUE(options.ema_warm_up);
    EXPECT_EQ(options.clip, 0);
    EXPECT_TRUE(options.data.flip);
    EXPECT_EQ(options.descent.rule, RuleKind::heun);
    EXPECT_EQ(options.descent.time_grid, TimeGrid::edm);
    EXPECT_EQ(options.descent.limit, 50);
  }
}

}  // namespace
}  // namespace eqm::test
