#include "eqm/backbone/sit_shapes.h"

#include <gtest/gtest.h>

#include "eqm/backbone/sit_layout.h"
#include "eqm/backbone/weights.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace eqm::test {
namespace {

using Shapes = std::map<std::string, Shape>;

SitConfig sample_config() {
  return {.input_size = 6,
          .patch_size = 2,
          .in_channels = 3,
          .hidden_size = 12,
          .depth = 3,
          .num_heads = 4,
          .mlp_ratio = 2.5,
          .class_dropout_prob = 0.1,
          .num_classes = 5,
          .learn_sigma = true};
}

Shapes shapes_of(const SitConfig& config) {
  const auto list = sit_weight_shapes(config);
  return {list.begin(), list.end()};
}

TEST(SitShapes, are_those_of_the_network) {
  for (const bool sigma : {false, true}) {
    for (const double dropout : {0.0, 0.1}) {
      SitConfig config = sample_config();
      config.learn_sigma = sigma;
      config.class_dropout_prob = dropout;
      Shapes built;
      for (const auto& [name, weight] : weights_of(Sit(config))) built[name] = weight.sizes().vec();
      EXPECT_EQ(shapes_of(config), built);
    }
  }
}

TEST(SitShapes, tell_the_configuration) {
  for (const bool sigma : {false, true}) {
    for (const double dropout : {0.0, 0.1}) {
      SitConfig config = sample_config();
      config.learn_sigma = sigma;
      config.class_dropout_prob = dropout;
      const SitConfig told = sit_config_from_shapes(shapes_of(config), {.heads = 4, .classes = 5});
      EXPECT_EQ(to_json(told), to_json(config));
    }
  }
}

TEST(SitShapes, heads_are_those_of_the_preset) {
  for (const std::string& name : sit_preset_names()) {
    SitConfig config = sit_preset(name);
    config.input_size = 32;
    const SitConfig told = sit_config_from_shapes(shapes_of(config), {});
    EXPECT_EQ(to_json(told), to_json(config)) << name;
  }
  expect_error(ErrorKind::usage, "no preset has width 12",
               [] { sit_config_from_shapes(shapes_of(sample_config()), {}); });
}

TEST(SitShapes, any_hidden_width_has_a_ratio) {
  for (int64_t hidden = 1; hidden < 200; ++hidden) {
    Shapes shapes = shapes_of(sample_config());
    for (int i = 0; i < 3; ++i) {
      const std::string block = "blocks." + std::to_string(i) + ".mlp.";
      shapes[block + "fc1.weight"] = {hidden, 12};
      shapes[block + "fc1.bias"] = {hidden};
      shapes[block + "fc2.weight"] = {12, hidden};
    }
    EXPECT_NO_THROW(sit_config_from_shapes(shapes, {.heads = 4, .classes = 5})) << hidden;
  }
}

TEST(SitShapes, refuse_weights_of_something_else) {
  const auto refuse = [](const std::string& part, const auto& change) {
    Shapes shapes = shapes_of(sample_config());
    change(shapes);
    SCOPED_TRACE(part);
    expect_input_error(part, [&] { sit_config_from_shapes(shapes, {.heads = 4, .classes = 5}); });
  };
  refuse("'pos_embed' is missing", [](Shapes& shapes) { shapes.erase("pos_embed"); });
  refuse("'blocks.1.mlp.fc2.bias' is missing",
         [](Shapes& shapes) { shapes.erase("blocks.1.mlp.fc2.bias"); });
  refuse("'extra' is too many", [](Shapes& shapes) { shapes["extra"] = {1}; });
  refuse("'blocks.7.attn.qkv.weight' is too many", [](Shapes& shapes) {
    shapes["blocks.7.attn.qkv.weight"] = {36, 12};
  });
  refuse("'pos_embed' has shape [9, 12]", [](Shapes& shapes) { shapes["pos_embed"] = {9, 12}; });
  refuse("8 tokens make no square", [](Shapes& shapes) { shapes["pos_embed"] = {1, 8, 12}; });
  refuse("has shape [9] where [24] is needed",
         [](Shapes& shapes) { shapes["final_layer.linear.bias"] = {9}; });
  refuse("beyond reason", [](Shapes& shapes) {
    shapes["x_embedder.proj.weight"] = {12, 3, int64_t{1} << 40, int64_t{1} << 40};
  });
  refuse("hidden_size must be a multiple of 4", [](Shapes& shapes) {
    shapes["x_embedder.proj.weight"] = {9, 3, 2, 2};
  });
  refuse("9 rows, which does not fit 5 classes", [](Shapes& shapes) {
    shapes["y_embedder.embedding_table.weight"] = {9, 12};
  });
}

}  // namespace
}  // namespace eqm::test
