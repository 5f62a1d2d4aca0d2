// A lab at work: an experiment is planned, its models are trained, its points measured, its
// report written.
#pragma once

#include <optional>

#include "eqm/app/lab/experiment_result.h"
#include "eqm/app/lab/lab_model.h"
#include "eqm/app/lab/measurement_store.h"
#include "eqm/app/lab/use_host.h"
#include "eqm/io/folder_lock.h"

namespace eqm::app {

class Lab {
 public:
  // Kind input for a folder of another version, kind io where another process works in it.
  Lab(LabPlace place, Host& host);

  // Kind input, before anything is trained, when the experiment's data are missing or a setting
  // is unknown. Nothing when the host asked for a stop.
  std::optional<ExperimentResult> run(const Experiment& experiment, int64_t seeds);

  // Whether every measurement is made or has its model.
  bool is_trained(const Experiment& experiment, int64_t seeds) const;

 private:
  struct Point;
  struct Plan;

  Plan plan_of(const Experiment& experiment, int64_t seeds) const;
  std::vector<Point> points_of_curve(const Experiment& experiment, const ExperimentCurve& curve,
                                     int64_t seed) const;
  std::vector<LabModel> untrained_models(const Plan& plan) const;
  bool train_for(const Experiment& experiment, const Plan& plan, const Point& point);
  std::optional<NamedEstimates> measured(const Experiment& experiment, const Plan& plan,
                                         const Point& point);
  std::optional<ResultPoint> measured_over_seeds(const Experiment& experiment, const Plan& plan,
                                                 size_t place);
  void require_data(const Experiment& experiment) const;

  LabPlace place_;
  Host& host_;
  UseHost use_host_;
  FolderLock lock_;
  MeasurementStore store_;
};

}  // namespace eqm::app
