#include "eqm/data/public_sets.h"

#include <string>

#include <gtest/gtest.h>

namespace eqm {
namespace {

TEST(PublicSets, are_known_however_they_are_written) {
  for (const char* name : {"cifar10", "CIFAR-10", "cifar_10", "data/cifar10", "/sets/Cifar10/"}) {
    EXPECT_NE(how_to_get(name).find("cifar-10-binary.tar.gz"), std::string::npos) << name;
  }
  EXPECT_NE(how_to_get("ImageNet"), "");
  EXPECT_NE(how_to_get("ImageNet"), how_to_get("cifar10"));
}

TEST(PublicSets, leave_other_names_alone) {
  for (const char* name : {"", "/", "my-images", "cifar11", "cifar10/train"}) {
    EXPECT_EQ(how_to_get(name), "") << name;
  }
}

}  // namespace
}  // namespace eqm
