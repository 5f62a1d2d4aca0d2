// A study of one 2-D landscape: learn it, descend it, measure what comes out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eqm/base/progress.h"
#include "eqm/descend/sampling.h"
#include "eqm/landscape/model.h"
#include "eqm/plane/options.h"

namespace eqm {

// A learned field and what descending it from noise gave. Points are in the user's coordinates.
struct PlaneDescent {
  Model model;
  Tensor start;                       // [n, 2]
  Tensor samples;                     // [n, 2]
  std::vector<SampleRecord> records;  // per sample
  std::vector<Tensor> paths;          // states of the first particles after each step, each [p, 2]
  std::vector<double> mean_norms;     // of the samples still moving, per step
  double distance = 0;  // sliced Wasserstein distance to the data, PlaneStudy::compared at a time
};

struct PlaneStudy {
  Scaling scaling;                   // the user's coordinates and the model's
  Tensor data;                       // [n, 2], the training set
  PlaneDescent main;                 // the chosen objective
  std::optional<PlaneDescent> flow;  // Flow Matching, for comparison
  std::optional<double>
      fresh_distance;         // of data not trained on: the floor; none for tiny CSV files
  double noise_distance = 0;  // of the starting noise: the ceiling
  // Few points lie farther from a distribution than many, by chance alone. So all distances are
  // means over sets of this many points: as many as samples, or as fresh points if those are fewer.
  int64_t compared = 0;
};

// All of it is computed as the runtime says.
PlaneStudy study_plane(const PlaneOptions& options, const Runtime& runtime, Progress& progress);

}  // namespace eqm
