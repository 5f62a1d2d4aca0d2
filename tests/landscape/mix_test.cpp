#include "eqm/landscape/mix.h"

#include <gtest/gtest.h>

#include "eqm/landscape/labels.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

void expect_part(const MixPart& part, const std::string& model, const std::string& label,
                 double weight) {
  EXPECT_EQ(part.model, model);
  EXPECT_EQ(part.label, label);
  EXPECT_EQ(part.weight, weight);
}

TEST(MixParts, name_models_labels_and_weights) {
  const auto parts = mix_parts("a.safetensors@coat:1, runs/b @ digit-3 : 0.5 ,bag, null:-1");
  ASSERT_EQ(parts.size(), 4U);
  expect_part(parts[0], "a.safetensors", "coat", 1);
  expect_part(parts[1], "runs/b", "digit-3", 0.5);
  expect_part(parts[2], "", "bag", 1);
  expect_part(parts[3], "", "null", -1);
}

TEST(MixParts, may_be_quoted_on_either_side) {
  const auto parts =
      mix_parts(R"("my, model"@"crane, bird":2, b@"x@y, ""z""", "p@q":3, c:/d@e:-1, a@b@c)");
  ASSERT_EQ(parts.size(), 5U);
  expect_part(parts[0], "my, model", "crane, bird", 2);
  expect_part(parts[1], "b", "x@y, \"z\"", 1);
  expect_part(parts[2], "", "p@q", 3);
  expect_part(parts[3], "c:/d", "e", -1);
  expect_part(parts[4], "a@b", "c", 1);
  EXPECT_EQ(parts[4].plain, "a@b@c");
}

TEST(MixParts, of_nonsense_are_refused) {
  const auto refuse = [](const char* part, const char* text) {
    expect_error(ErrorKind::usage, part, [&] { mix_parts(text); });
  };
  refuse("a model is missing", "@coat:1");
  refuse("a model is missing", "coat:1,\"\"@coat");
  refuse("a label is missing", "b.safetensors@");
  refuse("a label is missing", "b.safetensors@:0.5");
  refuse("behind its colon", "b@coat:1:x");
  refuse("behind its colon", "b@coat:nan");
  refuse("behind its colon", "b@coat:1e999");
  refuse("behind its colon", "b@\"coat\":");
  refuse("behind the quotes", "b@\"coat\"2");
  refuse("not closed", "b@\"coat:1");
  refuse("all weights", "b@coat:0,a@coat:0");
}

TEST(MixOf, takes_a_class_with_an_at_sign_and_refuses_other_models) {
  Model model = model_of(small_sit(), ObjectiveKind::eqm);
  model.class_names = {"coat", "me@home", "c"};
  const Terms terms = mix_of(model, "me@home:2, \"me@home\"");
  ASSERT_EQ(terms.list.size(), 2U);
  EXPECT_EQ(terms.list[0].label, 1);
  EXPECT_EQ(terms.list[0].weight, 2);
  EXPECT_EQ(terms.list[1].label, 1);
  expect_error(ErrorKind::usage, "another model, 'b'", [&] { mix_of(model, "coat, b@c:1"); });
}

}  // namespace
}  // namespace eqm::test
