#include "eqm/data/open_source.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm {
namespace {

TEST(OpenSource, reads_all_of_fashion_mnist) {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) {
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  }
  const SourcePtr train = open_source("fashion-mnist", {});
  EXPECT_EQ(train->size(), 60000);
  EXPECT_EQ(train->get(0).shape, (std::vector<int64_t>{1, 28, 28}));
  EXPECT_EQ(train->get(0).label, 9);
  EXPECT_EQ(train->get(1).label, 0);
  EXPECT_EQ(train->get(2).label, 0);
  EXPECT_EQ(train->class_names().at(9), "ankle boot");
  const SourcePtr test = open_source("fashion-mnist", {.split = Split::test});
  EXPECT_EQ(test->size(), 10000);
  EXPECT_EQ(test->get(0).label, 9);
  EXPECT_NE(test->fingerprint(), train->fingerprint());
}

TEST(OpenSource, suggests_the_nearest_name) {
  try {
    open_source("fashion-mnst", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_EQ(error.hint(), "did you mean 'fashion-mnist'?");
  }
}

}  // namespace
}  // namespace eqm
