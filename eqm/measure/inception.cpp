#include "eqm/measure/inception.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/io/text.h"
#include "eqm/io/weights_file.h"
#include "eqm/measure/inception_blocks.h"
#include "eqm/tensor/bridge.h"
#include "eqm/tensor/named_tensors.h"

namespace eqm {
namespace {

using inception::Block;
using inception::Branch;
using inception::Convolution;
using inception::Pool;

constexpr double kNormEpsilon = 1e-3;
constexpr const char* kInceptionHint =
    "give a classifier trained with eqm, or pytorch-fid's pt_inception-2015-12-05-6726825d.pth; "
    "torchvision's Inception is another network";

Tensor pooled(const Tensor& x, Pool pool) {
  switch (pool) {
    case Pool::none:
      return x;
    case Pool::average:
      return torch::avg_pool2d(x, 3, 1, 1, false, /*count_include_pad=*/false);
    case Pool::maximum:
      return torch::max_pool2d(x, 3, 1, 1);
    case Pool::halving:
      return torch::max_pool2d(x, 3, 2);
  }
  throw Error(ErrorKind::internal, "a pool of no kind");
}

// Calls `visit(block, convolution, channels of its input)` for all convolutions.
template <class Visit>
void for_each_convolution(const Visit& visit) {
  int64_t channels = inception::kColours;
  for (const Block& block : inception::blocks()) {
    int64_t side_by_side = 0;
    for (const Branch& branch : block.branches) {
      int64_t width = channels;
      for (const Convolution& item : branch.chain) {
        visit(block, item, width);
        width = item.channels;
      }
      int64_t ends = 0;
      for (const Convolution& item : branch.ends) {
        visit(block, item, width);
        ends += item.channels;
      }
      side_by_side += branch.ends.empty() ? width : ends;
    }
    channels = side_by_side;
  }
}

void require_shapes(const std::map<std::string, Tensor>& weights) {
  for (const auto& [name, shape] : Inception::weight_shapes()) {
    const auto found = weights.find(name);
    if (found == weights.end()) {
      throw Error(ErrorKind::input,
                  fmt::format("these are not the weights of Inception: {} is missing", name),
                  kInceptionHint);
    }
    if (found->second.sizes() == shape) continue;
    throw Error(
        ErrorKind::input,
        fmt::format("these are not the weights of Inception: {} has shape [{}], not [{}]", name,
                    fmt::join(found->second.sizes().vec(), ", "), fmt::join(shape, ", ")),
        kInceptionHint);
  }
}

}  // namespace

std::map<std::string, Shape> Inception::weight_shapes() {
  std::map<std::string, Shape> shapes;
  for_each_convolution([&](const Block& block, const Convolution& item, int64_t channels) {
    const std::string name = name_of(block, item);
    shapes[name + ".conv.weight"] = {item.channels, channels, item.rows, item.columns};
    for (const char* part : {"weight", "bias", "running_mean", "running_var"}) {
      shapes[name + ".bn." + part] = {item.channels};
    }
  });
  shapes["fc.weight"] = {inception::kClasses, inception::kFeatures};
  shapes["fc.bias"] = {inception::kClasses};
  return shapes;
}

Inception Inception::load(const std::filesystem::path& path, const torch::TensorOptions& type) {
  const WeightsFile file = WeightsFile::open(path, WeightsChoice::automatic);
  std::map<std::string, Tensor> weights;
  for (const NamedWeights& item : file.tensors()) {
    file.check(item);
    weights[item.name] = to_tensor(item.view, file.mapping());
  }
  try {
    return {weights, type};
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", in_quotes(path.string()), error.what()),
                error.hint());
  }
}

Inception::Inception(const std::map<std::string, Tensor>& weights, const torch::TensorOptions& type)
    : type_(type) {
  const torch::NoGradGuard guard;
  require_shapes(weights);
  NamedTensors own;  // files may hold counters and the like beside
  for (const auto& entry : weight_shapes()) {
    own.emplace_back(entry.first, weights.at(entry.first));
  }
  fingerprint_ = fingerprint_of(own);
  for_each_convolution([&](const Block& block, const Convolution& item, int64_t) {
    const std::string name = name_of(block, item);
    const auto wide = [&](const std::string& part) {
      return weights.at(name + "." + part).to(torch::kFloat64);
    };
    const Tensor scale = wide("bn.weight") * (wide("bn.running_var") + kNormEpsilon).rsqrt();
    layers_[name] = {.weight = (wide("conv.weight") * scale.view({-1, 1, 1, 1})).to(type),
                     .bias = (wide("bn.bias") - wide("bn.running_mean") * scale).to(type)};
  });
  classes_ = weights.at("fc.weight").to(type);
  bias_ = weights.at("fc.bias").to(type);
}

// One pass through the blocks.
struct Inception::Run {
  const std::map<std::string, Layer>& layers;

  Tensor convolved(const Block& block, const Convolution& item, const Tensor& x) const {
    const Layer& layer = layers.at(name_of(block, item));
    const int64_t rows = item.padded ? item.rows / 2 : 0,
                  columns = item.padded ? item.columns / 2 : 0;
    return torch::conv2d(x, layer.weight, layer.bias, item.stride, {rows, columns}).relu_();
  }

  Tensor through(const Block& block, const Branch& branch, const Tensor& x) const {
    Tensor state = pooled(x, branch.pool);
    for (const Convolution& item : branch.chain) state = convolved(block, item, state);
    if (branch.ends.empty()) return state;
    std::vector<Tensor> ends;
    for (const Convolution& item : branch.ends) ends.push_back(convolved(block, item, state));
    return torch::cat(ends, 1);
  }
};

InceptionOutput Inception::forward(const Tensor& input) const {
  const torch::NoGradGuard guard;
  const Run run = {layers_};
  InceptionOutput output;
  size_t stage = 0;
  Tensor x = input.to(type_);
  for (const Block& block : inception::blocks()) {
    std::vector<Tensor> branches;
    for (const Branch& branch : block.branches) branches.push_back(run.through(block, branch, x));
    if (block.name == inception::kSpatialBlock) {
      const Tensor some = branches.front().narrow(1, 0, inception::kSpatialChannels);
      output.spatial = some.permute({0, 2, 3, 1}).flatten(1);
    }
    x = branches.size() == 1 ? branches.front() : torch::cat(branches, 1);
    if (block.ends_stage) output.stages[stage++] = x.mean({2, 3});
  }
  output.pool = x.mean({2, 3});
  return output;
}

Tensor Inception::logits(const Tensor& pool) const {
  const torch::NoGradGuard guard;
  return torch::matmul(pool, classes_.t());
}

}  // namespace eqm
