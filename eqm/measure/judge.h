// A trained classifier as the judge of pictures: what it makes of them before it decides are the
// features by which sets of small pictures are compared.
#pragma once

#include "eqm/data/source.h"
#include "eqm/landscape/model.h"
#include "eqm/measure/frechet.h"

namespace eqm {

class Judge {
 public:
  // Kind input when the model is no classifier.
  explicit Judge(Model classifier);

  struct Opinion {
    Tensor features;       // [n, d]
    Tensor probabilities;  // [n, classes]
    Tensor labels;         // [n] int64: the classes they look like
  };
  // Pixels [n, C, H, W] from 0 to 255, bytes or not; some rows at a time, to bound the memory.
  Opinion of(const Tensor& pixels) const;

  const Model& model() const { return model_; }

 private:
  Model model_;
};

// Of a set of pictures.
Moments moments_of(const Judge& judge, const Source& pictures);

}  // namespace eqm
