#include "eqm/data/pick_source.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/made_source.h"

namespace eqm::test {
namespace {

TEST(PickSource, holds_the_picked_examples_in_their_order) {
  const auto inner = std::make_shared<MadeSource>(6);
  const SourcePtr picked = pick_source(inner, {4, 0, 4});
  ASSERT_EQ(picked->size(), 3);
  EXPECT_EQ(picked->name_of(0), inner->name_of(4));
  EXPECT_EQ(picked->get(1).bytes, inner->get(0).bytes);
  EXPECT_NE(picked->fingerprint(), pick_source(inner, {4, 4, 0})->fingerprint());
  EXPECT_NE(picked->fingerprint(), inner->fingerprint());
}

TEST(PickSource, refuses_to_hold_nothing_or_what_is_not_there) {
  const auto inner = std::make_shared<MadeSource>(3);
  EXPECT_THROW(pick_source(inner, {}), Error);
  EXPECT_THROW(pick_source(inner, {0, 3}), Error);
  EXPECT_THROW(pick_source(inner, {-1}), Error);
}

TEST(ChooseExamples, chosen_and_rest_are_all_examples_once) {
  for (const int64_t count : {0, 1, 7, 30}) {
    const Choice choice = choose_examples(30, count);
    EXPECT_EQ(static_cast<int64_t>(choice.chosen.size()), count);
    std::set<int64_t> all(choice.chosen.begin(), choice.chosen.end());
    all.insert(choice.rest.begin(), choice.rest.end());
    EXPECT_EQ(all.size(), 30U);
    EXPECT_EQ(choice.chosen.size() + choice.rest.size(), 30U);
  }
}

TEST(ChooseExamples, does_not_fall_into_step_with_labels_that_repeat) {
  const Choice choice = choose_examples(10'000, 1000);
  std::vector<int> per_label(10, 0);
  for (const int64_t index : choice.chosen) ++per_label[static_cast<size_t>(index % 10)];
  EXPECT_GT(*std::ranges::min_element(per_label), 60);
  EXPECT_LT(*std::ranges::max_element(per_label), 140);
}

}  // namespace
}  // namespace eqm::test
