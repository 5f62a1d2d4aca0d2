#include "eqm/backbone/sit.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/independent_rows.h"
#include "tests/support/numeric_jacobian.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

TEST(Sit, answers_in_the_shape_of_the_state) {
  const auto sit = small_sit();
  const Prediction prediction = sit->forward(normal(1, 3, {2, 4, 4}), {});
  EXPECT_EQ(prediction.output.sizes(), Shape({3, 2, 4, 4}));
  EXPECT_EQ(prediction.features.sizes(), Shape({3, 4, 8}));
  EXPECT_EQ(sit->state_shape(), Shape({2, 4, 4}));
  for (const Shape& shape : {Shape{3, 2, 4, 5}, Shape{3, 1, 4, 4}, Shape{2, 4, 4}}) {
    expect_error(ErrorKind::usage, "2x4x4", [&] { sit->forward(torch::zeros(shape), {}); });
  }
}

TEST(Sit, a_fresh_one_answers_exactly_zero) {
  SitConfig config = small_sit_config();
  for (const bool learn_sigma : {false, true}) {
    config.learn_sigma = learn_sigma;
    Sit sit(config);
    sit.initialise(5);
    const Tensor x = torch::randn({2, 2, 4, 4});
    EXPECT_EQ(sit.forward(x, {}).output.abs().max().item<float>(), 0);
    // adaLN-Zero: blocks are the identity, so the features are the embedded patches.
    const Tensor embedded = sit.embed_patches(x) + sit.named_parameters()["pos_embed"];
    EXPECT_TRUE(torch::equal(sit.forward(x, {}).features, embedded));
  }
}

TEST(Sit, parameter_names_are_those_of_the_reference) {
  const SafetensorsFile file = SafetensorsFile::open(golden_folder() / "weights_A.safetensors");
  const GoldenCase golden(golden_folder() / "forward_A.safetensors");
  const Sit sit(sit_config_from_json(golden.meta("config")));
  std::set<std::string> ours;
  for (const auto& entry : sit.named_parameters()) {
    ours.insert(entry.key());
    if (file.contains(entry.key())) {
      EXPECT_EQ(file.at(entry.key()).shape, entry.value().sizes().vec()) << entry.key();
    }
  }
  EXPECT_EQ(ours, std::set<std::string>(file.names().begin(), file.names().end()));
}

TEST(Sit, no_labels_mean_the_null_class) {
  const auto sit = small_sit();
  const Tensor x = normal(2, 2, {2, 4, 4});
  const auto labelled = [&](int64_t label) {
    return sit->forward(x, {.labels = torch::full({2}, label, torch::kInt64), .time = {}}).output;
  };
  EXPECT_EQ(sit->null_label(), 3);
  EXPECT_TRUE(torch::equal(sit->forward(x, {}).output, labelled(3)));
  EXPECT_FALSE(close(labelled(0), labelled(3), 1e-3));
  for (const int64_t label : {-1, 4, 1000}) {
    expect_error(ErrorKind::usage, "labels", [&] { labelled(label); });
  }
}

TEST(Sit, without_a_null_class_every_sample_needs_a_label) {
  SitConfig config = small_sit_config();
  config.class_dropout_prob = 0;
  const auto sit = small_sit(config);
  const Tensor x = normal(3, 1, {2, 4, 4});
  EXPECT_EQ(sit->null_label(), -1);
  EXPECT_NO_THROW(sit->forward(x, {.labels = torch::full({1}, 2, torch::kInt64), .time = {}}));
  expect_error(ErrorKind::usage, "label", [&] { sit->forward(x, {}); });
  expect_error(ErrorKind::usage, "labels", [&] {
    sit->forward(x, {.labels = torch::full({1}, 3, torch::kInt64), .time = {}});
  });
}

TEST(Sit, no_time_means_zero_and_time_matters) {
  const auto sit = small_sit();
  const Tensor x = normal(4, 2, {2, 4, 4});
  const auto at = [&](double time) {
    return sit->forward(x, {.labels = {}, .time = torch::full({2}, time, torch::kFloat64)}).output;
  };
  EXPECT_TRUE(torch::equal(at(0), sit->forward(x, {}).output));
  EXPECT_FALSE(close(at(0.7), at(0), 1e-3));
}

TEST(Sit, rows_of_a_batch_do_not_interact) {
  expect_independent_rows(*small_sit(), 1e-13);
}

TEST(Sit, learn_sigma_drops_the_second_half_of_the_channels) {
  SitConfig config = small_sit_config();
  config.learn_sigma = true;
  const auto wide = small_sit(config);
  const Tensor x = normal(6, 2, {2, 4, 4});
  const Tensor output = wide->forward(x, {}).output;
  EXPECT_EQ(output.sizes(), Shape({2, 2, 4, 4}));
  // Rows of the last layer are (py, px, c) with 2C channels; those of the second half do not
  // matter.
  const torch::NoGradGuard guard;
  const Tensor last = wide->named_parameters()["final_layer.linear.weight"];
  ASSERT_EQ(last.size(0), 2 * 2 * 2 * 2);
  last.view({4, 4, -1}).narrow(1, 2, 2).add_(1);
  EXPECT_TRUE(torch::equal(wide->forward(x, {}).output, output));
  last.view({4, 4, -1}).narrow(1, 0, 2).add_(1);
  EXPECT_FALSE(close(wide->forward(x, {}).output, output, 1e-3));
}

TEST(Sit, derivatives_match_differences) {
  SitConfig config = small_sit_config();
  config.in_channels = 1;
  config.depth = 1;
  const auto sit = small_sit(config);
  const TensorFunction f = [&](const Tensor& x) { return sit->forward(x, {}).output; };
  EXPECT_TRUE(derivatives_agree(f, normal(7, 1, {1, 4, 4})));
  EXPECT_TRUE(second_derivatives_agree(f, normal(8, 1, {1, 4, 4})));
}

TEST(Sit, positions_are_fixed) {
  const auto sit = small_sit();
  EXPECT_FALSE(sit->named_parameters()["pos_embed"].requires_grad());
}

TEST(SitConfig, every_size_and_patch_has_a_preset) {
  const std::vector<std::tuple<std::string, int64_t, int64_t, int64_t>> sizes = {
      {"XS", 6, 192, 3},
      {"S", 12, 384, 6},
      {"B", 12, 768, 12},
      {"L", 24, 1024, 16},
      {"XL", 28, 1152, 16}};
  for (const auto& [name, depth, width, heads] : sizes) {
    for (const int64_t patch : {1, 2, 4, 8}) {
      const SitConfig config = sit_preset(name + "/" + std::to_string(patch));
      EXPECT_EQ(config.depth, depth);
      EXPECT_EQ(config.hidden_size, width);
      EXPECT_EQ(config.num_heads, heads);
      EXPECT_EQ(config.patch_size, patch);
      EXPECT_NO_THROW(check(config));
    }
  }
  EXPECT_EQ(sit_preset_names().size(), 20U);
  EXPECT_EQ(sit_preset_names().front(), "XS/1");
}

TEST(SitConfig, presets_have_the_sizes_of_the_paper) {
  // SPEC §3, millions at patch 2 on ImageNet latents
  for (const auto& [name, millions] : std::vector<std::pair<std::string, double>>{
           {"XS/2", 4}, {"S/2", 33}, {"B/2", 130}, {"L/2", 458}, {"XL/2", 675}}) {
    const double slack = name == "XS/2" ? 2 : 1;
    EXPECT_NEAR(weight_count(sit_preset(name)) / 1e6, millions, slack) << name;
  }
}

TEST(SitConfig, weight_count_is_that_of_the_network) {
  for (const bool learn_sigma : {false, true}) {
    for (const double dropout : {0.0, 0.1}) {
      SitConfig config = small_sit_config();
      config.mlp_ratio = 1.3;
      config.learn_sigma = learn_sigma;
      config.class_dropout_prob = dropout;
      EXPECT_EQ(weight_count(config), static_cast<double>(parameter_count(Sit(config))));
    }
  }
}

TEST(SitConfig, a_misspelt_preset_names_the_nearest) {
  try {
    sit_preset("X/2");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("X/2"), std::string::npos);
    EXPECT_NE(error.hint().find("/2"), std::string::npos) << error.hint();
  }
  for (const char* name : {"", "S", "S/3", "s/2", "XXL/2"}) EXPECT_THROW(sit_preset(name), Error);
}

TEST(SitConfig, refuses_what_cannot_be_built) {
  const auto refused = [](const std::string& rule, auto change) {
    SitConfig config = small_sit_config();
    change(config);
    expect_error(ErrorKind::usage, rule, [&] { check(config); });
    EXPECT_THROW(Sit{config}, Error);
  };
  EXPECT_NO_THROW(check(small_sit_config()));
  refused("patch_size", [](SitConfig& c) { c.patch_size = 0; });
  refused("patch_size", [](SitConfig& c) { c.patch_size = 3; });
  refused("multiple of patch_size", [](SitConfig& c) { c.input_size = 0; });
  refused("tokens", [](SitConfig& c) { c.input_size = 1 << 20; });
  refused("in_channels", [](SitConfig& c) { c.in_channels = 0; });
  refused("hidden_size", [](SitConfig& c) { c.hidden_size = 6; });
  refused("hidden_size", [](SitConfig& c) { c.hidden_size = 0; });
  refused("num_heads", [](SitConfig& c) { c.num_heads = 3; });
  refused("num_heads", [](SitConfig& c) { c.num_heads = 0; });
  refused("depth", [](SitConfig& c) { c.depth = 0; });
  refused("num_classes", [](SitConfig& c) { c.num_classes = -1; });
  refused("class_dropout_prob", [](SitConfig& c) { c.class_dropout_prob = 1.5; });
  refused("null class", [](SitConfig& c) { c.num_classes = 0, c.class_dropout_prob = 0; });
  refused("mlp_ratio", [](SitConfig& c) { c.mlp_ratio = 0; });
  refused("mlp_ratio", [](SitConfig& c) { c.mlp_ratio = std::nan(""); });
}

TEST(SitConfig, architecture_comes_back_from_json) {
  SitConfig config = small_sit_config();
  config.mlp_ratio = 1.5;
  config.class_dropout_prob = 0.3;
  config.learn_sigma = true;
  const std::string json = Sit(config).architecture();
  const SitConfig again = sit_config_from_json(json);
  EXPECT_EQ(again.input_size, config.input_size);
  EXPECT_EQ(again.class_dropout_prob, 0.3);
  EXPECT_TRUE(again.learn_sigma);
  EXPECT_EQ(make_backbone(json)->architecture(), json);
  expect_input_error("SiT", [] { sit_config_from_json("{}"); });
  expect_input_error("SiT", [] { sit_config_from_json("not json"); });
}

TEST(Backbone, more_weights_than_allowed_are_refused_before_they_exist) {
  const std::string json = Sit(small_sit_config()).architecture();
  const double count = weight_count(small_sit_config());
  EXPECT_NO_THROW(make_backbone(json, count));
  expect_input_error("weights", [&] { make_backbone(json, count - 1); });
}

}  // namespace
}  // namespace eqm::test
