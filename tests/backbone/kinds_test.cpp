#include "eqm/backbone/kinds.h"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/backbone/convnet.h"
#include "eqm/backbone/mlp.h"
#include "eqm/backbone/sit.h"
#include "eqm/backbone/unet.h"
#include "eqm/backbone/weights.h"
#include "tests/support/expect_error.h"

namespace eqm::test {
namespace {

BackboneWish wish_for(const BackboneKind& kind, const std::string& preset) {
  const bool vectors = std::string(kind.name) == "mlp";
  return {.preset = preset, .state = vectors ? Shape{2} : Shape{1, 8, 8}, .classes = 3};
}

TEST(BackboneKinds, every_preset_can_be_planned_built_and_counted) {
  std::set<std::string> names;
  for (const BackboneKind& kind : backbone_kinds()) {
    ASSERT_FALSE(kind.presets.empty()) << kind.name;
    for (const BackbonePreset& preset : kind.presets) {
      SCOPED_TRACE(preset.name);
      EXPECT_TRUE(names.insert(preset.name).second);
      EXPECT_FALSE(preset.help.empty());
      EXPECT_EQ(kind_of_preset(preset.name).name, kind.name);
      const std::string architecture = plan_backbone(wish_for(kind, preset.name));
      const auto network = make_backbone(architecture);
      EXPECT_EQ(network->architecture(), architecture);
      EXPECT_EQ(network->num_classes(), 3);
      const BackboneCost cost = cost_of(architecture);
      EXPECT_EQ(cost.weights, static_cast<double>(parameter_count(*network)));
      EXPECT_GT(cost.activations, 0);
    }
  }
  expect_error(ErrorKind::usage, "unknown model 'XS/3'", [] { kind_of_preset("XS/3"); });
}

TEST(BackboneKinds, changes_of_a_preset_reach_the_architecture) {
  BackboneWish wish = {.preset = "XS/4", .width = 64, .depth = 2, .heads = 4};
  wish.state = {1, 8, 8};
  const SitConfig config = sit_config_from_json(plan_backbone(wish));
  EXPECT_EQ(config.hidden_size, 64);
  EXPECT_EQ(config.depth, 2);
  EXPECT_EQ(config.num_heads, 4);
  EXPECT_EQ(config.class_dropout_prob, 1);  // without classes there is the null class alone
}

TEST(BackboneKinds, building_a_network_draws_nothing) {
  torch::manual_seed(3);
  const Tensor expected = torch::rand({4});
  torch::manual_seed(3);
  for (const BackboneKind& kind : backbone_kinds()) {
    make_backbone(plan_backbone(wish_for(kind, kind.presets.back().name)));
  }
  EXPECT_TRUE(torch::equal(torch::rand({4}), expected));
}

// Each field of a config is written, read and compared.
template <class Config, class Read>
void expect_fields_travel(const Config& standard, const Read& read) {
  std::set<std::string> written;
  Config::visit(standard, [&](const char* name, const auto&) { written.insert(name); });
  const auto json = nlohmann::json::parse(to_json(standard));
  for (const std::string& name : written) {
    EXPECT_TRUE(json.contains(name)) << name;
    Config changed = standard;
    Config::visit(changed, [&](const char* field, auto& value) {
      if (name != field) return;
      using Value = std::decay_t<decltype(value)>;
      if constexpr (std::is_same_v<Value, bool>) {
        value = !value;
      } else if constexpr (std::is_arithmetic_v<Value>) {
        value = value + 1;
      } else {
        value.push_back(1);
      }
    });
    EXPECT_NE(changed, standard) << name;
    EXPECT_EQ(read(to_json(changed)), changed) << name;
  }
}

TEST(BackboneKinds, every_field_of_a_config_travels_through_json) {
  expect_fields_travel(SitConfig(), sit_config_from_json);
  expect_fields_travel(UnetConfig(), unet_config_from_json);
  expect_fields_travel(MlpConfig(), mlp_config_from_json);
  expect_fields_travel(ConvNetConfig(), convnet_config_from_json);
}

}  // namespace
}  // namespace eqm::test
