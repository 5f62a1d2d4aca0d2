// A network by whose features sets of pictures are compared: a classifier of such pictures
// (network.h), or Inception (inception_features.h). Safe to share between threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eqm/data/source.h"
#include "eqm/measure/frechet.h"

namespace eqm {

class FeatureNet {
 public:
  virtual ~FeatureNet() = default;

  struct Opinion {
    Tensor features;       // [n, d]
    Tensor spatial;        // [n, s], those of sFID; undefined where a network has none
    Tensor probabilities;  // [n, classes]
    Tensor labels;  // [n] int64: what they look like; undefined when its classes are not the data's
  };
  // Pixels [n, C, H, W] from 0 to 255, bytes or not; some rows at a time, to bound the memory. Kind
  // usage for none.
  Opinion of(const Tensor& pixels) const;

  // How many pictures it looks at together.
  virtual int64_t at_once() const = 0;

  // What pictures must be, [C, H, W]; nothing for a network that takes grey and colour of any size.
  virtual std::optional<Shape> picture_shape() const = 0;

  // Those that its labels are of; empty when they are not the data's.
  virtual const std::vector<std::string>& class_names() const;

  // d, by looking at a black picture.
  int64_t feature_count() const;

  // Features can be compared only when this is the same: the kind of network, its weights, and how
  // it is shown pictures.
  virtual std::string identity() const = 0;

 protected:
  virtual Opinion look(const Tensor& pixels) const = 0;
};

using FeatureNetPtr = std::shared_ptr<const FeatureNet>;

// Of a set of pictures.
Moments moments_of(const FeatureNet& network, const Source& pictures);

}  // namespace eqm
