// A trained classifier as the feature extractor of pictures: what it makes of them before it
// decides are the features by which sets of small pictures are compared.
#pragma once

#include "eqm/landscape/model.h"
#include "eqm/measure/feature_net.h"

namespace eqm {

class ClassifierFeatures final : public FeatureNet {
 public:
  // Kind input when the model is no classifier.
  explicit ClassifierFeatures(Model classifier);

  int64_t at_once() const override { return 256; }
  std::optional<Shape> picture_shape() const override { return model_.backbone->state_shape(); }
  std::string identity() const override { return identity_; }
  const std::vector<std::string>& class_names() const override { return model_.class_names; }

  const Model& model() const { return model_; }

 protected:
  Opinion look(const Tensor& pixels) const override;

 private:
  Model model_;
  std::string identity_;
};

}  // namespace eqm
