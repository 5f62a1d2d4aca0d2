// Inception as the network by which pictures are compared: FID, sFID, KID and IS as others report
// them, when the convention is theirs.
#pragma once

#include "eqm/measure/feature_net.h"
#include "eqm/measure/inception.h"
#include "eqm/measure/inception_input.h"

namespace eqm {

class InceptionFeatures final : public FeatureNet {
 public:
  InceptionFeatures(Inception network, InceptionConvention convention);

  int64_t at_once() const override { return 16; }  // bounds the memory
  std::optional<Shape> picture_shape() const override { return std::nullopt; }
  std::string identity() const override { return identity_; }

 protected:
  // Probabilities are those of logits without bias. Its classes are those of ImageNet, in an order
  // of their own.
  Opinion look(const Tensor& pixels) const override;

 private:
  Inception network_;
  InceptionConvention convention_;
  std::string identity_;
};

}  // namespace eqm
