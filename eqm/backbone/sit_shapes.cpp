#include "eqm/backbone/sit_shapes.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

using Shapes = std::map<std::string, Shape>;

constexpr const char* kOtherModel =
    "weights of EqM and SiT are read, under the reference's names; is it another model?";

// A dropout above 0 means a row for the null class; this is the reference's.
constexpr double kReferenceDropout = 0.1;

[[noreturn]] void refuse(const std::string& problem, const char* hint = kOtherModel) {
  throw Error(ErrorKind::input, "these are not the weights of a SiT: " + problem, hint);
}

const Shape& shape_of(const Shapes& shapes, const std::string& name, size_t rank) {
  const auto found = shapes.find(name);
  if (found == shapes.end()) refuse(fmt::format("'{}' is missing", name));
  const Shape& shape = found->second;
  bool sensible = shape.size() == rank;
  for (const int64_t size : shape) sensible = sensible && size > 0;
  if (!sensible) refuse(fmt::format("'{}' has shape [{}]", name, fmt::join(shape, ", ")));
  return shape;
}

int64_t depth_of(const Shapes& shapes) {
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

int64_t heads_for(int64_t width, const SitHints& hints) {
  if (hints.heads > 0) return hints.heads;
  if (const auto heads = sit_heads_of_width(width)) return *heads;
  throw Error(ErrorKind::usage,
              fmt::format("no preset has width {}, so its number of heads cannot be told", width),
              "give it by --heads");
}

void compare(const Shapes& shapes, const SitConfig& config) {
  std::vector<std::string> names;
  for (const auto& [name, wanted] : sit_weight_shapes(config)) {
    names.push_back(name);
    const Shape& found = shape_of(shapes, name, wanted.size());
    if (found == wanted) continue;
    refuse(fmt::format("'{}' has shape [{}] where [{}] is needed", name, fmt::join(found, ", "),
                       fmt::join(wanted, ", ")));
  }
  if (shapes.size() == names.size()) return;
  const std::map<std::string, Shape> needed = [&config] {
    const auto list = sit_weight_shapes(config);
    return std::map<std::string, Shape>(list.begin(), list.end());
  }();
  for (const auto& entry : shapes) {
    if (needed.contains(entry.first)) continue;
    throw Error(
        ErrorKind::input,
        fmt::format("these are not the weights of a SiT: {} is too many", in_quotes(entry.first)),
        kOtherModel);
  }
}

}  // namespace

std::vector<std::pair<std::string, Shape>> sit_weight_shapes(const SitConfig& config) {
  std::vector<std::pair<std::string, Shape>> shapes;
  const int64_t width = config.hidden_size, patch = config.patch_size;
  const auto linear = [&shapes](const std::string& name, int64_t in, int64_t out) {
    shapes.emplace_back(name + ".weight", Shape{out, in});
    shapes.emplace_back(name + ".bias", Shape{out});
  };
  const int64_t side = config.input_size / patch;
  shapes.emplace_back("pos_embed", Shape{1, side * side, width});
  shapes.emplace_back("x_embedder.proj.weight", Shape{width, config.in_channels, patch, patch});
  shapes.emplace_back("x_embedder.proj.bias", Shape{width});
  linear("t_embedder.mlp.0", kSitTimeFeatures, width);
  linear("t_embedder.mlp.2", width, width);
  const int64_t rows = config.num_classes + (config.class_dropout_prob > 0 ? 1 : 0);
  shapes.emplace_back("y_embedder.embedding_table.weight", Shape{rows, width});
  const auto hidden = static_cast<int64_t>(static_cast<double>(width) * config.mlp_ratio);
  for (int64_t i = 0; i < config.depth; ++i) {
    const std::string block = fmt::format("blocks.{}.", i);
    linear(block + "attn.qkv", width, 3 * width);
    linear(block + "attn.proj", width, width);
    linear(block + "mlp.fc1", width, hidden);
    linear(block + "mlp.fc2", hidden, width);
    linear(block + "adaLN_modulation.1", width, 6 * width);
  }
  const int64_t out_channels = config.in_channels * (config.learn_sigma ? 2 : 1);
  linear("final_layer.linear", width, patch * patch * out_channels);
  linear("final_layer.adaLN_modulation.1", width, 2 * width);
  return shapes;
}

SitConfig sit_config_from_shapes(const Shapes& shapes, const SitHints& hints) {
  const Shape& patches = shape_of(shapes, "x_embedder.proj.weight", 4);  // [D, C, p, p]
  const int64_t tokens = shape_of(shapes, "pos_embed", 3)[1];
  const int64_t rows = shape_of(shapes, "y_embedder.embedding_table.weight", 2)[0];
  const int64_t outputs = shape_of(shapes, "final_layer.linear.weight", 2)[0];
  const int64_t hidden = shape_of(shapes, "blocks.0.mlp.fc1.weight", 2)[0];
  const auto side = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(tokens))));
  if (side * side != tokens) refuse(fmt::format("{} tokens make no square", tokens));

  SitConfig config;
  config.hidden_size = patches[0];
  config.in_channels = patches[1];
  config.patch_size = patches[2];
  // Bounds before products: the file may claim anything.
  constexpr int64_t kMost = 1 << 20;
  if (std::max({patches[0], patches[1], patches[2], patches[3], side, hidden}) > kMost) {
    refuse("its shapes are beyond reason");
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
                "it has a row per class and one for the null class; give the number by --classes");
  }
  const int64_t plain = config.patch_size * config.patch_size * config.in_channels;
  config.learn_sigma = outputs == 2 * plain;
  try {
    check(config);
  } catch (const Error& error) {
    throw Error(ErrorKind::input, error.what(), kOtherModel);
  }
  compare(shapes, config);
  return config;
}

}  // namespace eqm
