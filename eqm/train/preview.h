// A look at what a model has learned so far: samples from noise that is the same at every step.
#pragma once

#include <functional>
#include <optional>

#include "eqm/codec/codec.h"
#include "eqm/descend/options.h"
#include "eqm/io/image.h"
#include "eqm/landscape/guidance.h"
#include "eqm/landscape/model.h"
#include "eqm/train/measurement.h"

namespace eqm {

struct PreviewOptions {
  int64_t per_class = 4;
  uint64_t seed = 0;
  DescentOptions descent;
  std::string labels = {};  // as labels_of() reads them; empty: all, of which ten are shown
  GuidanceOptions guidance = {};
  std::function<bool()> go_on = {};  // asked at every step of the descent; empty for always
};

// A row per class (at most ten classes), or a square of samples where there are no classes or only
// the null class was requested. Only for states that are images. Nothing when it was stopped.
std::optional<Image> draw_preview(const Model& model, const Codec& codec,
                                  const PreviewOptions& options, const std::string& title);

// The same at intervals of a run: the pictures "samples".
Measurement preview_measurement(const PreviewOptions& options, int64_t every);

}  // namespace eqm
