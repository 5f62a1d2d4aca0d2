#include "eqm/backbone/kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "eqm/backbone/convnet.h"
#include "eqm/backbone/mlp.h"
#include "eqm/backbone/plan.h"
#include "eqm/backbone/sit_shapes.h"
#include "eqm/backbone/unet_shapes.h"
#include "eqm/base/error.h"
#include "eqm/base/nearest.h"

namespace eqm {
namespace {

std::vector<BackbonePreset> sit_presets() {
  std::vector<BackbonePreset> presets;
  for (const std::string& name : sit_preset_names()) {
    const SitConfig config = sit_preset(name);
    presets.push_back({name, fmt::format("SiT: width {}, depth {}, {} heads, patches of {}x{}",
                                         config.hidden_size, config.depth, config.num_heads,
                                         config.patch_size, config.patch_size)});
  }
  return presets;
}

std::vector<BackbonePreset> unet_presets() {
  std::vector<BackbonePreset> presets;
  for (const std::string& name : unet_preset_names()) {
    const UnetConfig config = unet_preset(name);
    presets.push_back({name, fmt::format("U-Net: {} channels, {} levels, {} residual blocks each",
                                         config.model_channels, config.channel_mult.size(),
                                         config.num_res_blocks)});
  }
  return presets;
}

// A row of the table from what a network's own files offer.
template <class Network, class Config>
BackboneKind row(BackboneKind kind, Config (*from_json)(const std::string&),
                 Config (*for_wish)(const BackboneWish&)) {
  kind.plan = [for_wish](const BackboneWish& wish) {
    const Config config = for_wish(wish);
    check(config);
    return to_json(config);
  };
  kind.make = [from_json](const std::string& architecture) {
    return std::make_shared<Network>(from_json(architecture));
  };
  kind.cost = [from_json](const std::string& architecture) {
    const Config config = from_json(architecture);
    check(config);
    return BackboneCost{.weights = weight_count(config), .activations = activation_count(config)};
  };
  return kind;
}

}  // namespace

const std::vector<BackboneKind>& backbone_kinds() {
  static const std::vector<BackboneKind> kinds = {
      row<Sit>({.name = "sit",
                .help = "a SiT",
                .drops = false,
                .classifies = false,
                .presets = sit_presets(),
                .from_shapes =
                    [](const WeightShapes& shapes, const ShapeHints& hints) {
                      return to_json(sit_config_from_shapes(shapes, hints));
                    }},
               sit_config_from_json, sit_config_for),
      row<Unet>({.name = "unet",
                 .help = "a U-Net",
                 .drops = true,
                 .classifies = false,
                 .presets = unet_presets(),
                 .from_shapes =
                     [](const WeightShapes& shapes, const ShapeHints& hints) {
                       return to_json(unet_config_from_shapes(shapes, hints));
                     }},
                unet_config_from_json, unet_config_for),
      row<Mlp>({.name = "mlp",
                .help = "for vectors",
                .drops = false,
                .classifies = false,
                .presets = {{"mlp", "a small network for vectors, such as 2-D points"}}},
               mlp_config_from_json, mlp_config_for),
      row<ConvNet>(
          {.name = "convnet",
           .help = "to classify",
           .drops = false,
           .classifies = true,
           .presets = {{"convnet", "a small classifier of images ({objective} classifier)"}}},
          convnet_config_from_json, convnet_config_for),
  };
  return kinds;
}

const BackboneKind& backbone_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const BackboneKind& kind : backbone_kinds()) {
    if (name == kind.name) return kind;
    names.emplace_back(kind.name);
  }
  throw Error(ErrorKind::input, fmt::format("unknown backbone '{}'", name),
              fmt::format("one of: {}", fmt::join(names, ", ")));
}

const BackboneKind& kind_of_preset(const std::string& preset) {
  std::vector<std::string> names;
  for (const BackboneKind& kind : backbone_kinds()) {
    for (const BackbonePreset& known : kind.presets) {
      if (preset == known.name) return kind;
      names.push_back(known.name);
    }
  }
  throw Error(ErrorKind::usage, fmt::format("unknown model '{}'", preset),
              suggestion(preset, names));
}

const BackboneKind& kind_of_weights(const WeightShapes& shapes) {
  return backbone_kind(looks_like_unet(shapes) ? "unet" : "sit");
}

std::string plan_backbone(const BackboneWish& wish) {
  return kind_of_preset(wish.preset).plan(wish);
}

namespace {

const BackboneKind& kind_in(const std::string& architecture) {
  try {
    return backbone_kind(nlohmann::json::parse(architecture).at("kind").get<std::string>());
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::input, "the model's architecture is not readable JSON",
                "was the file written by eqm?");
  }
}

}  // namespace

BackboneCost cost_of(const std::string& architecture) {
  return kind_in(architecture).cost(architecture);
}

std::shared_ptr<Backbone> make_backbone(const std::string& architecture, double most_weights) {
  const BackboneKind& kind = kind_in(architecture);
  const double weights = kind.cost(architecture).weights;
  if (weights > most_weights) {
    throw Error(ErrorKind::input,
                fmt::format("the architecture asks for {:.0f} weights where at most {:.0f} can be",
                            weights, most_weights),
                "do architecture and weights belong together?");
  }
  return kind.make(architecture);
}

}  // namespace eqm
