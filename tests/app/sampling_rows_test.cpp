#include "eqm/app/sampling_rows.h"

#include <gtest/gtest.h>

#include "tests/app/app_models.h"
#include "tests/app/hint_of.h"
#include "tests/app/recording_host.h"
#include "tests/support/expect_error.h"

namespace eqm::test {
namespace {

using app::sampling_rows;
using app::UnnamedClasses;

TEST(SamplingRows, are_the_labels_with_their_names_and_terms) {
  const auto rows = sampling_rows(picture_model(), {.labels = "class 2,0"},
                                  UnnamedClasses::first_ten, *silent_logger());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "class 2");
  EXPECT_EQ(rows[0].label, 2);
  ASSERT_EQ(rows[0].terms.list.size(), 1U);
  EXPECT_EQ(rows[0].terms.list[0].label, 2);
  EXPECT_EQ(rows[1].label, 0);
}

TEST(SamplingRows, guidance_weighs_the_label_against_the_null_class) {
  const auto rows = sampling_rows(picture_model(), {.labels = "1", .guidance = {.scale = 3}},
                                  UnnamedClasses::first_ten, *silent_logger());
  ASSERT_EQ(rows.size(), 1U);
  double label = 0, null = 0;
  for (const Term& term : rows[0].terms.list) (term.label == 1 ? label : null) += term.weight;
  EXPECT_EQ(label, 3);
  EXPECT_EQ(null, -2);
}

TEST(SamplingRows, a_mix_is_one_row_without_a_label) {
  const auto rows = sampling_rows(picture_model(), {.mix = "class 1:2,null:-1"},
                                  UnnamedClasses::first_ten, *silent_logger());
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].name, "class 1:2,null:-1");
  EXPECT_FALSE(rows[0].label);
  EXPECT_EQ(total_weight(rows[0].terms), 1);
}

TEST(SamplingRows, without_labels_are_the_first_ten_classes_which_is_said) {
  RecordingHost host;
  EXPECT_EQ(sampling_rows(picture_model(), {}, UnnamedClasses::first_ten, *host.log()).size(), 3U);
  EXPECT_EQ(host.logged(), "");
  const auto rows = sampling_rows(picture_model(ObjectiveKind::eqm, 12), {},
                                  UnnamedClasses::first_ten, *host.log());
  EXPECT_EQ(rows.size(), 10U);
  EXPECT_NE(host.logged().find("first 10 of 12 classes; choose with {labels}"), std::string::npos)
      << host.logged();
}

TEST(SamplingRows, of_a_number_of_samples_are_all_classes) {
  RecordingHost host;
  const auto rows =
      sampling_rows(picture_model(ObjectiveKind::eqm, 12), {}, UnnamedClasses::all, *host.log());
  EXPECT_EQ(rows.size(), 12U);
  EXPECT_EQ(rows.back().label, 11);
  EXPECT_EQ(host.logged(), "");
}

TEST(SamplingRows, of_the_null_class_are_one_row_that_nothing_guides) {
  const auto rows =
      sampling_rows(picture_model(), {.labels = "null"}, UnnamedClasses::all, *silent_logger());
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(rows[0].terms.list.size(), 1U);
  EXPECT_EQ(rows[0].terms.list[0].label, kNullClass);
  expect_error(ErrorKind::usage, "the null class is none", [&] {
    sampling_rows(picture_model(), {.labels = "null", .guidance = {.scale = 2}},
                  UnnamedClasses::all, *silent_logger());
  });
}

TEST(SamplingRows, of_a_model_without_classes_are_one_nameless_row) {
  const Model model = picture_model(ObjectiveKind::eqm, 0);
  const auto rows = sampling_rows(model, {}, UnnamedClasses::first_ten, *silent_logger());
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].name, "");
  expect_error(ErrorKind::usage, "guidance needs labels", [&] {
    sampling_rows(model, {.guidance = {.scale = 2}}, UnnamedClasses::first_ten, *silent_logger());
  });
}

TEST(SamplingRows, refuse_a_mix_beside_labels_and_name_options_by_key) {
  EXPECT_EQ(hint_of([] {
              sampling_rows(picture_model(), {.labels = "1", .mix = "1:1"},
                            UnnamedClasses::first_ten, *silent_logger());
            }),
            "omit {labels} and {guidance}, or write them as a mix");
}

}  // namespace
}  // namespace eqm::test
