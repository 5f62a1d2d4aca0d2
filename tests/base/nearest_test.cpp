#include "eqm/base/nearest.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace eqm {
namespace {

using Words = std::vector<std::string>;

const Words kOptions = {"steps", "batch", "eta", "mu", "threshold", "samples"};

// Few letters and short words, so that equal letters and swaps happen.
rc::Gen<std::string> words() {
  return rc::gen::resize(8, rc::gen::container<std::string>(rc::gen::element('a', 'b', 'c')));
}

TEST(EditDistance, counts_each_kind_of_change_once) {
  EXPECT_EQ(edit_distance("steps", "steps"), 0);
  EXPECT_EQ(edit_distance("steps", "step"), 1);
  EXPECT_EQ(edit_distance("step", "steps"), 1);
  EXPECT_EQ(edit_distance("steps", "stops"), 1);
  EXPECT_EQ(edit_distance("steps", "stesp"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(EditDistance, of_the_empty_word_is_the_length_of_the_other) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "eta"), 3);
  EXPECT_EQ(edit_distance("eta", ""), 3);
}

RC_GTEST_PROP(EditDistance, is_symmetric_and_zero_only_for_equal_words, ()) {
  const std::string a = *words();
  const std::string b = *words();
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
  RC_ASSERT(edit_distance(a, b) <= static_cast<int>(std::max(a.size(), b.size())));
}

RC_GTEST_PROP(EditDistance, one_swap_of_unequal_neighbours_is_one_change, ()) {
  const std::string word = *rc::gen::suchThat(words(), [](const std::string& w) {
    return std::adjacent_find(w.begin(), w.end(), std::not_equal_to<>{}) != w.end();
  });
  const auto place =
      std::adjacent_find(word.begin(), word.end(), std::not_equal_to<>{}) - word.begin();
  std::string swapped = word;
  std::swap(swapped[static_cast<size_t>(place)], swapped[static_cast<size_t>(place) + 1]);
  RC_ASSERT(edit_distance(word, swapped) == 1);
}

TEST(Nearest, finds_what_was_meant) {
  EXPECT_EQ(nearest("stesp", kOptions), "steps");
  EXPECT_EQ(nearest("bacth", kOptions), "batch");
  EXPECT_EQ(nearest("tresholt", kOptions), "threshold");
  EXPECT_EQ(nearest("eta", kOptions), "eta");
}

TEST(Nearest, looks_past_case_and_punctuation_first) {
  EXPECT_EQ(nearest("xs4", Words{"S/4", "XS/2", "XS/4"}), "XS/4");
  EXPECT_EQ(nearest("Fashion_XS4", Words{"fashion-xs2", "fashion-xs4"}), "fashion-xs4");
  EXPECT_EQ(nearest("--", Words{"++"}), "") << "nothing is left of either";
}

TEST(Nearest, takes_a_prefix_of_three_letters) {
  EXPECT_EQ(nearest("thr", kOptions), "threshold");
  EXPECT_EQ(nearest("th", kOptions), "");
}

TEST(Nearest, is_empty_when_nothing_is_close) {
  EXPECT_EQ(nearest("resolution", kOptions), "");
  EXPECT_EQ(nearest("eta", Words{}), "");
}

TEST(Nearest, prefers_the_exact_name_to_a_longer_one) {
  EXPECT_EQ(nearest("eta", Words{"eta-min", "eta"}), "eta");
}

TEST(Suggestion, names_the_nearest_or_lists_all) {
  EXPECT_EQ(suggestion("samlpes", kOptions), "did you mean 'samples'?");
  EXPECT_EQ(suggestion("resolution", Words{"eta", "mu"}), "one of: eta, mu");
}

}  // namespace
}  // namespace eqm
