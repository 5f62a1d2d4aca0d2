#include "eqm/data/arrangement.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm {
namespace {

using test::expect_input_error;
using Paths = std::vector<std::string>;
using Labels = std::vector<int64_t>;
using Order = std::vector<size_t>;

Arrangement arrange(const Paths& paths, Split split = Split::train) {
  return arrange_images(paths, split, "made");
}

TEST(ImageNames, are_told_by_their_ending) {
  for (const char* name : {"a.png", "a.PNG", "b/a.jpg", "a.Jpeg", "a.b.jpg", "d.x/a.JPG"}) {
    EXPECT_TRUE(is_image_name(name)) << name;
  }
  for (const char* name : {"", "a", "png", "a.png.txt", "a.gif", ".png", "b/._a.jpg", "a.png/b"}) {
    EXPECT_FALSE(is_image_name(name)) << name;
  }
}

TEST(Arrangement, takes_classes_from_folders_and_sorts_bytewise) {
  const Arrangement made =
      arrange({"dog/2.png", "cat/b/1.png", "Zoo/1.png", "dog/10.png", "x.txt"});
  EXPECT_EQ(made.classes, (Paths{"Zoo", "cat", "dog"}));
  EXPECT_EQ(made.order, (Order{2, 1, 3, 0}));
  EXPECT_EQ(made.labels, (Labels{0, 1, 2, 2}));
}

TEST(Arrangement, knows_no_labels_without_folders) {
  const Arrangement made = arrange({"2.png", "1.png", "notes/readme.md"});
  EXPECT_TRUE(made.classes.empty());
  EXPECT_TRUE(made.labels.empty());
  EXPECT_EQ(made.order, (Order{1, 0}));
}

TEST(Arrangement, takes_the_last_of_equal_paths) {
  EXPECT_EQ(arrange({"a/1.png", "./a/1.png", "b/1.png"}).order, (Order{1, 2}));
}

TEST(Arrangement, chooses_the_part) {
  const Paths paths = {"train/cat/1.png", "test/dog/2.png", "train/dog/3.png", "valid/cat/4.png"};
  const Arrangement train = arrange(paths);
  EXPECT_EQ(train.order, (Order{0, 2}));
  EXPECT_EQ(train.classes, (Paths{"cat", "dog"}));
  EXPECT_EQ(train.labels, (Labels{0, 1}));
  const Arrangement test = arrange(paths, Split::test);
  EXPECT_EQ(test.order, (Order{1}));
  EXPECT_EQ(test.classes, train.classes);
  EXPECT_EQ(test.labels, (Labels{1}));
  EXPECT_EQ(arrange({"train/1.png", "val/2.png"}, Split::test).order, (Order{1}));
}

TEST(Arrangement, passes_over_a_common_root) {
  const Paths paths = {"./set/train/cat/1.png", "./set/test/cat/2.png"};
  EXPECT_EQ(arrange(paths).classes, (Paths{"cat"}));
  EXPECT_EQ(arrange({"/set/cat/1.png", "/set/dog/2.png"}).classes, (Paths{"cat", "dog"}));
  EXPECT_EQ(arrange({"cat/1.png", "cat/2.png"}).classes, (Paths{"cat"}));
  EXPECT_EQ(arrange({"dtd/images/banded/1.jpg", "dtd/images/woven/2.jpg"}).classes,
            (Paths{"banded", "woven"}));
  EXPECT_EQ(arrange({"train/cat/1.png"}).classes, (Paths{"cat"}));
}

TEST(Arrangement, takes_a_class_named_train_among_others_as_a_class) {
  EXPECT_EQ(arrange({"bus/1.png", "train/1.png"}).classes, (Paths{"bus", "train"}));
}

TEST(Arrangement, refuses_a_missing_part) {
  expect_input_error("'made' has no test part", [] { arrange({"cat/1.png"}, Split::test); });
  expect_input_error("'made' has no test part", [] { arrange({"train/1.png"}, Split::test); });
  expect_input_error("'made' has no train part", [] { arrange({"test/1.png"}); });
}

TEST(Arrangement, refuses_what_has_no_images) {
  expect_input_error("'made' has no images", [] { arrange({}); });
  expect_input_error("'made' has no images", [] { arrange({"cat/readme.txt", "x.gif"}); });
}

TEST(Arrangement, refuses_images_outside_the_class_folders) {
  expect_input_error("some outside, such as 'stray.png'", [] {
    arrange({"cat/1.png", "stray.png", "dog/1.png"});
  });
}

}  // namespace
}  // namespace eqm
