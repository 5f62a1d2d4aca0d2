#include "eqm/landscape/labels.h"

#include <functional>

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

Model named() {
  Model model = model_of(small_sit(), ObjectiveKind::eqm);  // three classes and a null class
  model.class_names = {"coat", "ankle boot", "bag:red"};
  return model;
}

TEST(Labels, are_found_by_name_and_number) {
  const Model model = named();
  EXPECT_EQ(label_of(model, "ankle boot"), 1);
  EXPECT_EQ(label_of(model, "2"), 2);
  EXPECT_EQ(label_of(model, "null"), kNullClass);
  EXPECT_EQ(labels_of(model, " coat , 2,ankle boot"), (std::vector<int64_t>{0, 2, 1}));
  EXPECT_EQ(labels_of(model, "all"), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(label_name(model, 1), "ankle boot");
  EXPECT_EQ(label_name(model, kNullClass), "null");
}

TEST(Labels, with_commas_and_blanks_are_written_in_quotes) {
  Model model = named();
  model.class_names = {"crane, bird", " crane ", "crane"};
  EXPECT_EQ(labels_of(model, "\"crane, bird\", \" crane \",crane"),
            (std::vector<int64_t>{0, 1, 2}));
  const Terms terms = mix_of(model, "\"crane, bird\":0.5,\" crane \" : -2,\"crane\",crane:3");
  ASSERT_EQ(terms.list.size(), 4U);
  EXPECT_EQ(terms.list[0].label, 0);
  EXPECT_EQ(terms.list[0].weight, 0.5);
  EXPECT_EQ(terms.list[1].label, 1);
  EXPECT_EQ(terms.list[1].weight, -2);
  EXPECT_EQ(terms.list[2].weight, 1);
  EXPECT_EQ(terms.list[3].label, 2);
  using Read = std::function<void(const std::string& text)>;
  const Read as_list = [&](const std::string& text) { labels_of(model, text); };
  const Read as_mix = [&](const std::string& text) { mix_of(model, text); };
  for (const Read& read : {as_list, as_mix}) {
    try {
      read("crane, bird");
      ADD_FAILURE() << "half a name was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.hint(), "write \"crane, bird\", quotes included");
    }
    expect_error(ErrorKind::usage, "not closed", [&] { read("\"crane, bird"); });
    expect_error(ErrorKind::usage, "behind the quotes", [&] { read("\"crane\" bird"); });
  }
}

TEST(Labels, that_do_not_exist_are_refused_with_advice) {
  const Model model = named();
  for (const char* text : {"3", "-1", "cot", "", "1.0", "0x1"}) {
    expect_error(ErrorKind::usage, "no class", [&] { label_of(model, text); });
  }
  SitConfig config = small_sit_config();
  config.class_dropout_prob = 0;
  const Model without = model_of(small_sit(config), ObjectiveKind::eqm);
  expect_error(ErrorKind::usage, "no class 'null'", [&] { label_of(without, "null"); });
}

TEST(Labels, in_turn_are_all_classes_or_the_chosen_ones) {
  const Model model = named();
  const auto turn = [&](const std::string& chosen) {
    const Tensor labels = labels_in_turn(model, chosen, 5);
    return std::vector<int64_t>(labels.data_ptr<int64_t>(), labels.data_ptr<int64_t>() + 5);
  };
  EXPECT_EQ(turn(""), (std::vector<int64_t>{0, 1, 2, 0, 1}));
  EXPECT_EQ(turn("2,coat"), (std::vector<int64_t>{2, 0, 2, 0, 2}));
  EXPECT_EQ(turn("null,1"), (std::vector<int64_t>{kNullClass, 1, kNullClass, 1, kNullClass}));
  EXPECT_FALSE(labels_in_turn(model, "null", 5).defined()) << "no class at all";
}

TEST(Mix, has_labels_and_weights) {
  const Terms terms = mix_of(named(), "coat:1.5, bag:red:-2 ,null:-0.5,1");
  ASSERT_EQ(terms.list.size(), 4U);
  EXPECT_EQ(terms.list[0].label, 0);
  EXPECT_EQ(terms.list[0].weight, 1.5);
  EXPECT_EQ(terms.list[1].label, 2);
  EXPECT_EQ(terms.list[1].weight, -2);
  EXPECT_EQ(terms.list[2].label, kNullClass);
  EXPECT_EQ(terms.list[2].weight, -0.5);
  EXPECT_EQ(terms.list[3].label, 1);
  EXPECT_EQ(terms.list[3].weight, 1);
}

TEST(Mix, of_nonsense_is_refused) {
  const Model model = named();
  expect_error(ErrorKind::usage, "behind its colon", [&] { mix_of(model, "coat:x"); });
  expect_error(ErrorKind::usage, "behind its colon", [&] { mix_of(model, "coat:"); });
  expect_error(ErrorKind::usage, "behind its colon", [&] { mix_of(model, "coat:inf"); });
  expect_error(ErrorKind::usage, "all weights", [&] { mix_of(model, "coat:0,1:0"); });
  expect_error(ErrorKind::usage, "no class", [&] { mix_of(model, "hat:1"); });
  expect_error(ErrorKind::usage, "no class", [&] { mix_of(model, ""); });
  expect_error(ErrorKind::usage, "no class", [&] { mix_of(model, "coat:1,,1:1"); });
}

}  // namespace
}  // namespace eqm::test
