#include "eqm/backbone/sit_layout.h"

#include <fmt/format.h>

namespace eqm {
namespace {

SitPlace linear_place(std::string name, int64_t in, int64_t out, SitStart start) {
  return {.name = std::move(name), .weight = {out, in}, .start = start};
}

SitLayout::Block block_places(const SitConfig& config, int64_t i) {
  const int64_t width = config.hidden_size;
  const auto hidden = static_cast<int64_t>(static_cast<double>(width) * config.mlp_ratio);
  const auto place = [i](const char* name, int64_t in, int64_t out, SitStart start) {
    return linear_place(fmt::format("blocks.{}.{}", i, name), in, out, start);
  };
  // A modulation of zero makes every block begin as the identity.
  return {.qkv = place("attn.qkv", width, 3 * width, SitStart::xavier),
          .proj = place("attn.proj", width, width, SitStart::xavier),
          .fc1 = place("mlp.fc1", width, hidden, SitStart::xavier),
          .fc2 = place("mlp.fc2", hidden, width, SitStart::xavier),
          .modulation = place("adaLN_modulation.1", width, 6 * width, SitStart::zero)};
}

}  // namespace

SitLayout sit_layout(const SitConfig& config) {
  const int64_t width = config.hidden_size, patch = config.patch_size;
  const int64_t side = config.input_size / patch;
  SitLayout layout;
  layout.positions = {1, side * side, width};
  layout.patches = {.name = "x_embedder.proj",
                    .weight = {width, config.in_channels, patch, patch},
                    .start = SitStart::xavier};
  layout.time_in = linear_place("t_embedder.mlp.0", kSitTimeFeatures, width, SitStart::normal);
  layout.time_out = linear_place("t_embedder.mlp.2", width, width, SitStart::normal);
  layout.labels = {.name = "y_embedder.embedding_table",
                   .weight = {config.label_rows(), width},
                   .start = SitStart::normal,
                   .bias = Bias::none};
  for (int64_t i = 0; i < config.depth; ++i) layout.blocks.push_back(block_places(config, i));
  layout.last = linear_place("final_layer.linear", width, patch * patch * config.out_channels(),
                             SitStart::zero);
  layout.last_modulation =
      linear_place("final_layer.adaLN_modulation.1", width, 2 * width, SitStart::zero);
  return layout;
}

std::vector<SitPlace> SitLayout::places() const {
  std::vector<SitPlace> all = {patches, time_in, time_out, labels};
  for (const Block& block : blocks) {
    all.insert(all.end(), {block.qkv, block.proj, block.fc1, block.fc2, block.modulation});
  }
  all.insert(all.end(), {last, last_modulation});
  return all;
}

ShapesInOrder sit_weight_shapes(const SitConfig& config) {
  const SitLayout layout = sit_layout(config);
  ShapesInOrder shapes = {{kSitPositions, layout.positions}};
  for (const SitPlace& place : layout.places()) {
    shapes.emplace_back(place.name + ".weight", place.weight);
    if (place.bias == Bias::none) continue;
    shapes.emplace_back(place.name + ".bias", Shape{place.weight.front()});
  }
  return shapes;
}

}  // namespace eqm
