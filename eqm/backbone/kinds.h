// The backbones there are, one row each: how an architecture becomes a network, which presets it
// has, how a preset fits data, what it costs. Whatever lists, builds or plans backbones reads this
// table.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "eqm/backbone/backbone.h"
#include "eqm/backbone/weight_shapes.h"

namespace eqm {

// What a network is wanted for. Zeros leave the preset's values.
struct BackboneWish {
  std::string preset;
  int64_t width = 0, depth = 0, heads = 0, patch = 0;  // 0: the preset's
  Shape state = {};                                    // of one sample
  int64_t classes = 0;                                 // labels beside the null class
  double label_dropout = 0.1;                          // above 0 labels may be hidden, for guidance
  bool sees_time = false;                              // the objective shows the time
  bool time_input = true;  // where a network may be built without: whether it takes time
  double dropout = 0;      // share of activations that training drops
};

// Numbers, not bytes.
struct BackboneCost {
  double weights = 0;
  double activations = 0;  // that a row of a batch leaves for the backward pass
};

struct BackbonePreset {
  std::string name;
  std::string help;
};

struct BackboneKind {
  const char* name;  // "kind" in an architecture's JSON
  const char* help;  // what its presets are, as "a SiT"
  bool drops;        // takes `dropout` and `time_input`
  bool classifies;   // answers logits and has no landscape
  std::vector<BackbonePreset> presets;
  // The architecture of a preset for data of this kind, as JSON. A usage or input error where it
  // cannot learn them.
  std::function<std::string(const BackboneWish&)> plan = {};
  std::function<std::shared_ptr<Backbone>(const std::string& architecture)> make = {};
  std::function<BackboneCost(const std::string& architecture)> cost = {};
  // The architecture of weights with these names and shapes, as JSON; null where the weights of
  // other programs cannot be read.
  std::function<std::string(const WeightShapes&, const ShapeHints&)> from_shapes = {};
};

const std::vector<BackboneKind>& backbone_kinds();

// An input error names the kinds there are.
const BackboneKind& backbone_kind(const std::string& name);

// The kind that has this preset; a usage error suggests the nearest name.
const BackboneKind& kind_of_preset(const std::string& preset);

// The kind that these weights look like.
const BackboneKind& kind_of_weights(const WeightShapes& shapes);

std::string plan_backbone(const BackboneWish& wish);
BackboneCost cost_of(const std::string& architecture);

}  // namespace eqm
