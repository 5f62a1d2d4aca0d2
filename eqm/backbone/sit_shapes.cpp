#include "eqm/backbone/sit_shapes.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "eqm/backbone/sit_layout.h"
#include "eqm/base/error.h"

namespace eqm {
namespace {

constexpr const char* kSit = "a SiT";

// A dropout above 0 means a row for the null class; this is the reference's.
constexpr double kReferenceDropout = 0.1;

int64_t depth_of(const WeightShapes& shapes) {
  int64_t depth = 0;
  while (shapes.contains(fmt::format("blocks.{}.attn.qkv.weight", depth))) ++depth;
  return depth;
}

// The ratio that the reference's int(width * ratio) turns into `hidden`.
double ratio_of(int64_t hidden, int64_t width) {
  const auto wide = static_cast<double>(width);
  const double ratio = static_cast<double>(hidden) / wide;
  if (static_cast<int64_t>(wide * ratio) == hidden) return ratio;
  return std::nextafter(ratio, std::numeric_limits<double>::infinity());
}

int64_t heads_for(int64_t width, const ShapeHints& hints) {
  if (hints.heads > 0) return hints.heads;
  if (const auto heads = sit_heads_of_width(width)) return *heads;
  throw Error(ErrorKind::usage,
              fmt::format("no preset has width {}, so its number of heads is unknown", width),
              "give it by {heads}");
}

}  // namespace

SitConfig sit_config_from_shapes(const WeightShapes& shapes, const ShapeHints& hints) {
  const Shape& patches = shape_of(kSit, shapes, "x_embedder.proj.weight", 4);  // [D, C, p, p]
  const int64_t tokens = shape_of(kSit, shapes, "pos_embed", 3)[1];
  const int64_t rows = shape_of(kSit, shapes, "y_embedder.embedding_table.weight", 2)[0];
  const int64_t outputs = shape_of(kSit, shapes, "final_layer.linear.weight", 2)[0];
  const int64_t hidden = shape_of(kSit, shapes, "blocks.0.mlp.fc1.weight", 2)[0];
  const auto side = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(tokens))));
  if (side * side != tokens) refuse_weights(kSit, fmt::format("{} tokens make no square", tokens));

  SitConfig config;
  config.hidden_size = patches[0];
  config.in_channels = patches[1];
  config.patch_size = patches[2];
  // Bounds before products: the file may claim anything.
  constexpr int64_t kMost = 1 << 20;
  if (std::max({patches[0], patches[1], patches[2], patches[3], side, hidden}) > kMost) {
    refuse_weights(kSit, "its shapes are beyond reason");
  }
  config.input_size = side * config.patch_size;
  config.depth = depth_of(shapes);
  config.mlp_ratio = ratio_of(hidden, config.hidden_size);
  config.num_heads = heads_for(config.hidden_size, hints);
  const bool no_null_class = hints.classes > 0 && rows == hints.classes;
  config.num_classes = no_null_class ? rows : rows - 1;
  config.class_dropout_prob = no_null_class ? 0 : kReferenceDropout;
  if (hints.classes > 0 && config.num_classes != hints.classes) {
    throw Error(ErrorKind::input,
                fmt::format("the label table has {} rows, which does not fit {} classes", rows,
                            hints.classes),
                "it has a row per class and one for the null class; give the number by {classes}");
  }
  const int64_t plain = config.patch_size * config.patch_size * config.in_channels;
  config.learn_sigma = outputs == 2 * plain;
  try {
    check(config);
  } catch (const Error& error) {
    refuse_weights(kSit, error.what());
  }
  const std::string misfit = first_misfit(shapes, sit_weight_shapes(config));
  if (!misfit.empty()) refuse_weights(kSit, misfit);
  return config;
}

}  // namespace eqm
