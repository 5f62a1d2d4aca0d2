#include "eqm/data/installed_sets.h"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::TemporaryFolder;

class InstalledSets : public ::testing::Test {
 protected:
  void put(const std::string& file) {
    const std::filesystem::path path = machine_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "images";
  }
  // The folder of a set below the machine, "" when it was not found.
  std::string folder_of(const std::string& name) const {
    for (const InstalledSet& set : installed_sets(places_)) {
      EXPECT_NE(set.remedy, "");
      if (set.name != name) continue;
      return set.folder.empty() ? "" : set.folder.lexically_relative(machine_.path()).string();
    }
    return "unknown";
  }

  TemporaryFolder machine_;
  DataPlaces places_ = {.packaged = machine_ / "usr", .own = {machine_ / "a", machine_ / "b"}};
};

TEST_F(InstalledSets, are_named_when_absent) {
  EXPECT_EQ(folder_of("fashion-mnist"), "");
  EXPECT_EQ(folder_of("mnist"), "");
  put("usr/fashion-mnist/README");
  EXPECT_EQ(folder_of("fashion-mnist"), "");
}

TEST_F(InstalledSets, are_found_packaged_or_plain) {
  put("usr/fashion-mnist/train-images-idx3-ubyte.gz");
  EXPECT_EQ(folder_of("fashion-mnist"), "usr/fashion-mnist");
  put("b/mnist/train-images-idx3-ubyte");
  EXPECT_EQ(folder_of("mnist"), "b/mnist");
  put("a/mnist/train-images-idx3-ubyte.gz");
  EXPECT_EQ(folder_of("mnist"), "a/mnist");
}

}  // namespace
}  // namespace eqm
