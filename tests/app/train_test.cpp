#include "eqm/app/train.h"

#include <gtest/gtest.h>

#include "eqm/base/toml.h"
#include "tests/app/recording_host.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

app::TrainingOptions tiny_run(const TemporaryFolder& folder) {
  app::TrainingOptions options = {.training =
                                      tiny_options(write_set(folder / "data.safetensors", {}))};
  options.out = (folder / "run").string();
  options.runtime.threads = 1;
  return options;
}

TEST(TrainUse, keeps_its_options_with_epochs_as_steps) {
  const TemporaryFolder folder;
  app::TrainingOptions asked = tiny_run(folder);
  asked.training.epochs = 0.5;
  RecordingHost host;
  const app::TrainingResult result = app::run(asked, host);
  EXPECT_FALSE(result.stopped);
  EXPECT_TRUE(host.stoppable());
  EXPECT_TRUE(std::filesystem::exists(result.model));

  app::TrainingOptions kept;
  OptionSet set;
  kept.declare(set);
  read_toml_file(set, RunPaths{.folder = asked.out}.config());
  EXPECT_EQ(kept.training.steps, 3) << "half of 24 examples in batches of 4";
  EXPECT_EQ(kept.training.epochs, 0);
  EXPECT_EQ(kept.out, asked.out);
}

TEST(TrainUse, stops_where_it_is_asked_to_and_resumes) {
  const TemporaryFolder folder;
  app::TrainingOptions asked = tiny_run(folder);
  RecordingHost stopping(2);
  const app::TrainingResult stopped = app::run(asked, stopping);
  EXPECT_TRUE(stopped.stopped);
  EXPECT_LT(stopped.summary.steps, 6);

  asked.resume = true;
  RecordingHost host;
  const app::TrainingResult result = app::run(asked, host);
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(result.summary.steps, 6);
  app::TrainingOptions kept;
  OptionSet set;
  kept.declare(set);
  read_toml_file(set, RunPaths{.folder = asked.out}.config());
  EXPECT_FALSE(kept.resume) << "the folder keeps the options of a run, not those of its resumption";
}

}  // namespace
}  // namespace eqm::test
