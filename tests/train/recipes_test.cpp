// Every recipe that is shipped reads, passes its checks, and describes a model that can be built.
#include <filesystem>

#include <gtest/gtest.h>

#include "eqm/backbone/sit.h"
#include "eqm/backbone/unet.h"
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

TEST(Recipes, all_can_be_read_and_describe_a_model) {
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(recipes())) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().filename());
    TrainOptions options = read(entry.path());
    if (options.objective.kind == ObjectiveKind::eqm_l2) options.model.init = "given by the user";
    EXPECT_NO_THROW(options.check());
    if (options.model.is_unet()) {
      EXPECT_NO_THROW(unet_preset(options.model.model));
    } else if (!is_classifier(options.objective.kind)) {
      EXPECT_NO_THROW(sit_preset(options.model.model));
    }
    ++count;
  }
  EXPECT_GE(count, 20);
}

TEST(Recipes, ablations_change_what_their_name_says_and_nothing_else) {
  const TrainOptions base = read(recipes() / "fashion-xs4.toml");
  const TrainOptions linear = read(recipes() / "ablations/fashion-c-linear.toml");
  EXPECT_EQ(linear.objective.magnitude.kind, MagnitudeKind::linear);
  EXPECT_EQ(linear.steps, base.steps);
  EXPECT_EQ(linear.data.data, base.data.data);
  EXPECT_EQ(read(recipes() / "ablations/fashion-lambda-8.toml").objective.magnitude.lambda, 8);
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
