// Where each layer of a SiT stands. The network, the names and shapes of its weights, how they
// begin, what they cost and what an import compares all follow from this list.
#pragma once

#include <string>
#include <vector>

#include "eqm/backbone/layers.h"
#include "eqm/backbone/sit.h"
#include "eqm/backbone/weight_shapes.h"

namespace eqm {

// How a weight begins; biases are zero.
enum class SitStart { zero, xavier, normal };

struct SitPlace {
  std::string name;  // of the layer: "blocks.0.attn.qkv"
  Shape weight;
  SitStart start = SitStart::zero;
  Bias bias = Bias::one_per_output;
};

struct SitLayout {
  struct Block {
    SitPlace qkv, proj, fc1, fc2, modulation;
  };

  Shape positions;  // [1, T, D]: the parameter "pos_embed", which is not trained
  SitPlace patches, time_in, time_out, labels;
  std::vector<Block> blocks;
  SitPlace last, last_modulation;

  // Every place but the positions, in the order of the parameters.
  std::vector<SitPlace> places() const;
};

SitLayout sit_layout(const SitConfig& config);

inline constexpr const char* kSitPositions = "pos_embed";

// Every parameter of a checked configuration, by name.
ShapesInOrder sit_weight_shapes(const SitConfig& config);

}  // namespace eqm
