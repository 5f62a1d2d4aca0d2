// A look at what a model has learned so far: samples from noise that is the same at every step.
#pragma once

#include "eqm/descend/options.h"
#include "eqm/io/image.h"
#include "eqm/landscape/model.h"

namespace eqm {

struct PreviewOptions {
  int64_t per_class = 4;
  uint64_t seed = 0;
  DescentOptions descent;
};

// A row per class (at most ten classes), or a square of samples for a model without classes. Only
// for states that are images.
Image draw_preview(const Model& model, const PreviewOptions& options, const std::string& title);

}  // namespace eqm
