#include "eqm/data/layout.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/made_source.h"

namespace eqm {
namespace {

using test::expect_error;
using test::expect_input_error;
using test::MadeSource;

const Layout kLayout = {.dtype = Dtype::u8, .shape = {1, 2, 3}};

TEST(Layout, is_that_of_the_first_example_that_can_be_read) {
  EXPECT_EQ(layout_of(MadeSource(3)), kLayout);
  EXPECT_EQ(layout_of(MadeSource(3, {0, 1})), kLayout);
  EXPECT_EQ(kLayout.bytes(), 6u);
  EXPECT_EQ(describe(kLayout), "U8 [1, 2, 3]");
}

TEST(Layout, cannot_be_told_without_a_whole_example) {
  expect_input_error("none of 3 examples can be read: 'made 0' is damaged", [] {
    layout_of(MadeSource(3, {0, 1, 2}));
  });
  expect_input_error("'made 0' is damaged", [] { layout_of(MadeSource(1, {0})); });
  expect_input_error("no examples", [] { layout_of(MadeSource(0)); });
}

TEST(Layout, is_required_of_type_shape_and_bytes) {
  const Example whole = MadeSource(3).get(0);
  require_layout(whole, kLayout, "made 0");
  Example other = whole;
  other.dtype = Dtype::i8;
  expect_input_error("'made 0' is I8 [1, 2, 3] where others are U8 [1, 2, 3]",
                     [&] { require_layout(other, kLayout, "made 0"); });
  other = whole;
  other.shape = {2, 3};
  expect_input_error("is U8 [2, 3]", [&] { require_layout(other, kLayout, "made 0"); });
  other = whole;
  other.bytes.pop_back();
  expect_input_error("made 0", [&] { require_layout(other, kLayout, "made 0"); });
}

}  // namespace
}  // namespace eqm
