#include "eqm/app/training_layers.h"

#include <gtest/gtest.h>

#include "eqm/base/error.h"
#include "tests/app/hint_of.h"

namespace eqm::test {
namespace {

TEST(TrainingLayers, a_resumed_run_begins_with_its_record) {
  const app::TrainingOptions options;
  EXPECT_EQ(app::record_to_resume(options, {}), "");
  EXPECT_EQ(app::record_to_resume(options, {{"out", "runs/a"}}), "");
  EXPECT_EQ(app::record_to_resume(options, {{"resume", "true"}}), "runs/train/config.toml");
  EXPECT_EQ(app::record_to_resume(options, {{"resume", "true"}, {"out", "a"}}), "a/config.toml");
  for (const char* no : {"false", "no", "0", "off"}) {
    EXPECT_EQ(app::record_to_resume(options, {{"resume", no}}), "") << no;
  }
}

TEST(TrainingLayers, steps_that_are_given_win_over_epochs_of_a_file) {
  app::TrainingOptions options;
  options.training.epochs = 3;
  app::choose_duration(options, {{"steps", "10"}});
  EXPECT_EQ(options.training.epochs, 0);
  options.training.epochs = 3;
  app::choose_duration(options, {{"epochs", "4"}});
  EXPECT_EQ(options.training.epochs, 3) << "the option that is given is set after this";
  options.training.steps = 7;
  app::choose_duration(options, {{"epochs", "4"}});
}

TEST(TrainingLayers, steps_and_epochs_at_once_are_refused) {
  app::TrainingOptions options;
  EXPECT_EQ(hint_of([&] {
              app::choose_duration(options, {{"steps", "1"}, {"epochs", "1"}});
            }),
            "give {steps} or {epochs}, and not both");
  options.training.epochs = 3;
  options.training.steps = 7;
  EXPECT_NE(hint_of([&] { app::choose_duration(options, {}); }).find("steps = 0"),
            std::string::npos);
}

}  // namespace
}  // namespace eqm::test
