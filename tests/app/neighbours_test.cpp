#include "eqm/app/neighbours.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/app/hint_of.h"
#include "tests/app/recording_host.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

using app::NeighbourOptions;
using app::NeighbourResult;

class NeighboursUse : public ::testing::Test {
 protected:
  NeighbourOptions options() const {
    NeighbourOptions options;
    options.pictures = options.data = data_;
    options.count = 3;
    options.k = 2;
    options.out = (folder_ / "out").string();
    return options;
  }

  TemporaryFolder folder_;
  std::string data_ = write_set(folder_ / "data.safetensors", {}).string();
};

TEST_F(NeighboursUse, finds_every_picture_itself_first_and_names_its_files) {
  RecordingHost host;
  const NeighbourResult result = app::run(options(), host);
  ASSERT_EQ(result.findings.nearest.size(), 3U);
  for (const auto& nearest : result.findings.nearest) {
    ASSERT_EQ(nearest.size(), 2U);
    EXPECT_LT(nearest[0].distance, 1e-5);
    EXPECT_GT(nearest[1].distance, 1e-3);
  }
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(result.files.size(), 2U);
  EXPECT_EQ(host.written().size(), 2U);
  for (const std::string& name : result.files) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / name)) << name;
  }
}

// More than one batch of 1024 images.
TEST_F(NeighboursUse, a_stop_ends_it_between_batches_and_leaves_nothing) {
  NeighbourOptions many = options();
  many.data = write_set(folder_ / "many.safetensors", {.count = 3000, .shape = {1, 8, 8}}).string();
  RecordingHost host(/*stop_after=*/2);
  const NeighbourResult result = app::run(many, host);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(host.updates(), 2);
  EXPECT_TRUE(result.findings.nearest.empty());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(NeighboursUse, refuses_missing_pictures_and_names_options_by_key) {
  RecordingHost host;
  NeighbourOptions none = options();
  none.pictures = "";
  EXPECT_EQ(hint_of([&] { app::run(none, host); }), "name a folder by {pictures}");
  none.pictures = data_;
  none.data = "";
  EXPECT_EQ(hint_of([&] { app::run(none, host); }), "name a set by {data}");
}

}  // namespace
}  // namespace eqm::test
