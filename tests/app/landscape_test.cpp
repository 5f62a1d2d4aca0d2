#include "eqm/app/landscape.h"

#include <gtest/gtest.h>

#include "tests/app/recording_host.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

app::LandscapeOptions small_landscape(const TemporaryFolder& folder) {
  app::LandscapeOptions options = {.out = (folder / "plane").string()};
  options.plane.points = 256;
  options.plane.steps = 20;
  options.plane.batch = 32;
  options.plane.width = 16;
  options.plane.depth = 1;
  options.plane.fourier = 4;
  options.plane.samples = 30;
  options.plane.paths = 4;
  return options;
}

TEST(LandscapeUse, answers_distances_and_the_files_it_wrote) {
  const TemporaryFolder folder;
  RecordingHost host;
  const app::LandscapeResult result = app::run(small_landscape(folder), host);
  EXPECT_FALSE(result.stopped);
  ASSERT_EQ(result.descents.size(), 2U);
  EXPECT_EQ(result.descents[0].objective, "eqm");
  EXPECT_EQ(result.descents[1].objective, "fm");
  for (const app::LandscapeDescent& descent : result.descents) {
    int64_t samples = 0;
    for (const auto& [status, count] : descent.outcomes) samples += count;
    EXPECT_EQ(samples, 30);
    EXPECT_GT(descent.distance, 0);
    EXPECT_GT(descent.mean_steps, 0);
  }
  EXPECT_GT(result.noise_distance, 0);
  EXPECT_EQ(result.files.size(), 7U);
  for (const std::string& file : result.files) {
    EXPECT_TRUE(std::filesystem::exists(result.folder / file)) << file;
  }
}

TEST(LandscapeUse, writes_nothing_when_it_is_stopped) {
  const TemporaryFolder folder;
  RecordingHost host(5);
  const app::LandscapeResult result = app::run(small_landscape(folder), host);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(host.updates(), 5);
  EXPECT_TRUE(result.files.empty());
  EXPECT_FALSE(std::filesystem::exists(result.folder / "config.toml"));
  EXPECT_FALSE(std::filesystem::exists(result.folder / "model.safetensors"));
}

}  // namespace
}  // namespace eqm::test
