#include "eqm/landscape/guidance.h"

#include <gtest/gtest.h>

namespace eqm::test {
namespace {

TEST(Guidance, of_scale_1_is_the_label_alone) {
  const Terms terms = GuidanceOptions{.channels = GuidedChannels::first_three}.terms_of(4);
  ASSERT_EQ(terms.list.size(), 1U);
  EXPECT_EQ(terms.list[0].label, 4);
  EXPECT_EQ(terms.guided_channels, -1);
}

TEST(Guidance, weighs_label_and_null_class_on_the_chosen_channels) {
  const GuidanceOptions all = {.scale = 1.5};
  EXPECT_EQ(all.terms_of(4).list.size(), 2U);
  EXPECT_EQ(all.terms_of(4).guided_channels, -1);
  const GuidanceOptions some = {.scale = 1.5, .channels = GuidedChannels::first_three};
  EXPECT_EQ(some.terms_of(4).guided_channels, 3);
  EXPECT_EQ(total_weight(some.terms_of(4)), 1);
}

TEST(Guidance, leaves_the_null_class_alone) {
  const Terms terms = GuidanceOptions{.scale = 3}.terms_of(kNullClass);
  ASSERT_EQ(terms.list.size(), 1U);
  EXPECT_EQ(terms.list[0].label, kNullClass);
  EXPECT_EQ(terms.list[0].weight, 1);
}

TEST(Guidance, is_declared_once_and_described_for_the_record) {
  GuidanceOptions guidance;
  OptionSet set;
  guidance.declare(set);
  set.set_text("guidance", "1.5");
  EXPECT_EQ(guidance.described(), "1.5");
  set.set_text("guided-channels", "first-three");
  EXPECT_EQ(guidance.described(), "1.5 on the first three channels");
}

}  // namespace
}  // namespace eqm::test
