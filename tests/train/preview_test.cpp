#include "eqm/train/preview.h"

#include <gtest/gtest.h>

#include "eqm/codec/pictures.h"
#include "eqm/descend/sampling.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

Model image_model(int64_t classes, double dropout = 0.1, int64_t channels = 1) {
  Model model = model_of(small_sit({.input_size = 4,
                                    .patch_size = 2,
                                    .in_channels = channels,
                                    .hidden_size = 8,
                                    .depth = 1,
                                    .num_heads = 2,
                                    .class_dropout_prob = dropout,
                                    .num_classes = classes}),
                         ObjectiveKind::eqm);
  model.scaling = Scaling::pixels();
  for (int64_t k = 0; k < classes; ++k) model.class_names.push_back(std::to_string(k));
  return model;
}

const DescentOptions kShort = {.limit = 3};

// The grid that shows these labels of the model, drawn by hand.
Image by_hand(const Model& model, const Tensor& labels, int64_t count, int64_t columns,
              const std::vector<std::string>& names) {
  const DescentResult result =
      sample(LearnedField(model), {.labels = labels, .count = count, .seed = 5, .descent = kShort});
  std::vector<Tensor> rows = {result.x};  // one for each class
  if (labels.defined()) rows.clear();
  for (int64_t k = 0; labels.defined() && k < count / columns; ++k) {
    rows.push_back(result.x.index({labels == k}));
  }
  return picture_grid(torch::cat(rows), model.scaling, columns, names, "title");
}

TEST(Preview, shows_a_row_for_every_class) {
  const Model model = image_model(3);
  const Image shown =
      *draw_preview(model, model.scaling, {.per_class = 2, .seed = 5, .descent = kShort}, "title");
  const Tensor labels = torch::tensor({0, 1, 2, 0, 1, 2}, torch::kInt64);
  EXPECT_EQ(shown.pixels, by_hand(model, labels, 6, 2, {"0", "1", "2"}).pixels);
}

TEST(Preview, shows_a_square_where_there_are_no_classes) {
  const Model model = image_model(0, 1);
  const Image shown =
      *draw_preview(model, model.scaling, {.per_class = 3, .seed = 5, .descent = kShort}, "title");
  EXPECT_EQ(shown.pixels, by_hand(model, {}, 9, 3, {}).pixels);
}

TEST(Preview, shows_the_first_ten_of_many_classes) {
  const Model model = image_model(13);
  const Image shown =
      *draw_preview(model, model.scaling, {.per_class = 1, .seed = 5, .descent = kShort}, "title");
  std::vector<std::string> names = model.class_names;
  names.resize(10);
  EXPECT_EQ(shown.pixels, by_hand(model, torch::arange(10), 10, 1, names).pixels);
}

TEST(Preview, shows_the_classes_that_were_named_and_a_square_of_the_null_class) {
  const Model model = image_model(3);
  const auto shown = [&](const std::string& labels) {
    return draw_preview(model, model.scaling,
                        {.per_class = 2, .seed = 5, .descent = kShort, .labels = labels}, "title")
        ->pixels;
  };
  const Tensor all = torch::tensor({0, 1, 2, 0, 1, 2}, torch::kInt64);
  EXPECT_EQ(shown("0,1,2"), by_hand(model, all, 6, 2, {"0", "1", "2"}).pixels);
  EXPECT_NE(shown("2,1,0"), shown("0,1,2"));
  EXPECT_EQ(shown("null"), by_hand(model, {}, 4, 2, {}).pixels);
}

TEST(Preview, is_guided_and_refuses_guidance_that_the_model_cannot_follow) {
  const auto preview = [](const Model& model, double scale) {
    const PreviewOptions options = {
        .per_class = 1, .seed = 5, .descent = kShort, .guidance = {.scale = scale}};
    preview_measurement(options, 1).validate({.model = model, .codec = model.scaling});
    return draw_preview(model, model.scaling, options, "title")->pixels;
  };
  EXPECT_NE(preview(image_model(3), 30), preview(image_model(3), 1));
  expect_error(ErrorKind::usage, "label dropout", [&] { preview(image_model(3, 0), 2); });
}

TEST(Preview, gives_every_sample_noise_of_its_own_however_many_there_are) {
  const Model model = image_model(10);
  const Image shown =
      *draw_preview(model, model.scaling, {.per_class = 7, .seed = 5, .descent = kShort}, "title");
  const Tensor labels = torch::arange(10).repeat({7});
  EXPECT_EQ(shown.pixels, by_hand(model, labels, 70, 7, model.class_names).pixels);
}

TEST(Preview, shows_a_single_class_with_and_without_a_null_class) {
  for (const double dropout : {0.1, 0.0}) {
    const Image shown = *draw_preview(image_model(1, dropout), Scaling::pixels(),
                                      {.per_class = 2, .seed = 5, .descent = kShort}, "title");
    EXPECT_GT(shown.width, 0) << dropout;
  }
}

TEST(Preview, is_the_same_every_time_and_another_for_another_seed) {
  const Model model = image_model(2);
  const auto shown = [&](uint64_t seed) {
    return draw_preview(model, model.scaling, {.per_class = 1, .seed = seed, .descent = kShort},
                        "title")
        ->pixels;
  };
  EXPECT_EQ(shown(1), shown(1));
  EXPECT_NE(shown(1), shown(2));
}

TEST(Preview, shows_latents_of_any_number_of_channels) {
  for (const int64_t channels : {2, 3, 4}) {
    Model model = image_model(2, 0.1, channels);
    model.scaling = {};
    const Image shown =
        *draw_preview(model, model.scaling, {.per_class = 1, .descent = kShort}, "title");
    EXPECT_EQ(shown.channels, 3);
  }
}

TEST(Preview, is_given_up_when_told_so) {
  int asked = 0;
  const auto go_on = [&] { return ++asked < 2; };
  EXPECT_FALSE(draw_preview(image_model(3), Scaling::pixels(),
                            {.per_class = 2, .seed = 5, .descent = kShort, .go_on = go_on},
                            "title"));
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace eqm::test
