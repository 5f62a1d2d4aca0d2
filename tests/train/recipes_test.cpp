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

TEST(Recipes, all_are_valid_and_name_a_known_network) {
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(recipes())) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().filename());
    TrainOptions options = read(entry.path());
    if (options.objective.kind == ObjectiveKind::eqm_l2) options.model.init = "given by the user";
    EXPECT_NO_THROW(options.validate());
    EXPECT_NO_THROW(kind_of_preset(options.model.model));
    ++count;
  }
  EXPECT_GE(count, 20);
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
  const std::map<std::string, Changes> expected = {
      {"fashion-c-constant", {{"landscape.c", "constant"}}},
      {"fashion-c-linear", {{"landscape.c", "linear"}}},
      {"fashion-c-piecewise-0.8", {{"landscape.c", "piecewise"}, {"landscape.b", "0.8"}}},
      {"fashion-c-piecewise-1.4", {{"landscape.c", "piecewise"}}},  // 1.4 is the default
      {"fashion-c-truncated-0.5", {{"landscape.a", "0.5"}}},
      {"fashion-c-truncated-0.9", {{"landscape.a", "0.9"}}},
      {"fashion-dispersive", {{"landscape.dispersive", "0.5"}}},
      {"fashion-eqm-dot", {{"landscape.objective", "eqm-dot"}}},
      {"fashion-eqm-l2", {{"landscape.objective", "eqm-l2"}}},
      {"fashion-fm", {{"landscape.objective", "fm"}}},
      {"fashion-fm-unconditional", {{"landscape.objective", "fm-unconditional"}}},
      {"fashion-lambda-1", {{"landscape.lambda", "1"}}},
      {"fashion-lambda-2", {{"landscape.lambda", "2"}}},
      {"fashion-lambda-8", {{"landscape.lambda", "8"}}},
      {"fashion-noise-condition", {{"landscape.objective", "eqm-noise-condition"}}}};
  std::map<std::string, Changes> found;
  for (const auto& entry : fs::directory_iterator(recipes() / "ablations")) {
    found[entry.path().stem()] = changes_of(entry.path());
  }
  EXPECT_EQ(found, expected);
}

TEST(Recipes, imagenet_has_the_papers_settings) {
  const TrainOptions xl = read(recipes() / "imagenet256-xl2.toml");
  EXPECT_EQ(xl.model.model, "XL/2");
  EXPECT_EQ(xl.batch, 256);
  EXPECT_EQ(xl.schedule.lr, 1e-4);
  EXPECT_EQ(xl.schedule.kind, ScheduleKind::constant);
  EXPECT_EQ(xl.ema, 0.9999);
  EXPECT_EQ(xl.adamw.weight_decay, 0);
  EXPECT_EQ(xl.objective.magnitude.lambda, 4);
  EXPECT_EQ(xl.descent.eta, 0.0017);
  EXPECT_EQ(xl.data.scale, 0.18215);
}

TEST(Recipes, the_cifar_unet_is_that_of_the_flow_matching_code_base) {
  const TrainOptions options = read(recipes() / "cifar10-unet.toml");
  EXPECT_EQ(options.model.model, "unet-cifar10");
  EXPECT_EQ(options.model.dropout, 0.3);
  EXPECT_EQ(options.schedule.lr, 1e-4);
  EXPECT_EQ(options.adamw.beta2, 0.95);
  EXPECT_TRUE(options.data.flip);
}

}  // namespace
}  // namespace eqm::test
