// The Inception-v3 by whose features FIDs are computed: TensorFlow's network of 2015 with 1008
// outputs, as pytorch-fid's weights file pt_inception-2015-12-05-6726825d.pth holds it. It is not
// torchvision's: averages leave out the padding, and the last block takes a maximum instead.
// Immutable after construction, hence safe to share between threads.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "eqm/tensor/torch.h"

namespace eqm {

inline constexpr int64_t kInceptionSide = 299;  // of the pictures it sees

struct InceptionOutput {
  Tensor pool;     // [n, 2048]: the features of FID
  Tensor spatial;  // [n, 2023]: those of sFID, 7 channels on 17x17 places, ordered H, W, C
  std::array<Tensor, 3> stages;  // [n, 64], [n, 192], [n, 768]: pytorch-fid's smaller features
};

class Inception {
 public:
  // Names and shapes of all weights, as in the file.
  static std::map<std::string, Shape> weight_shapes();

  // From a .pt, .pth or .safetensors. Kind input for a file that holds anything else.
  static Inception load(const std::filesystem::path& path, const torch::TensorOptions& type);

  // Kind input when one is missing or has another shape.
  Inception(const std::map<std::string, Tensor>& weights, const torch::TensorOptions& type);

  // input [n, 3, 299, 299] from -1 to 1 (inception_input.h). All of it at once.
  InceptionOutput forward(const Tensor& input) const;

  // [n, 1008] without the bias, as the Inception Score takes them.
  Tensor logits(const Tensor& pool) const;
  const Tensor& logit_bias() const { return bias_; }  // [1008]

  const torch::TensorOptions& type() const { return type_; }
  uint64_t fingerprint() const { return fingerprint_; }

 private:
  // A convolution with its normalisation folded into it.
  struct Layer {
    Tensor weight, bias;
  };
  struct Run;

  torch::TensorOptions type_;
  std::map<std::string, Layer> layers_;
  Tensor classes_, bias_;  // [1008, 2048], [1008]
  uint64_t fingerprint_ = 0;
};

}  // namespace eqm
