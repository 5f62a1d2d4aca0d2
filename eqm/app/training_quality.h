// The quality of samples while a model is being trained.
#pragma once

#include "eqm/app/quality.h"
#include "eqm/train/run.h"

namespace eqm::app {

class TrainingQuality final : public QualityProbe {
 public:
  TrainingQuality(QualityMeter meter, const DescentOptions& descent, const Contest& contest,
                  const Host& host)
      : meter_(std::move(meter)), descent_(descent), contest_(contest), host_(host) {}

  void check(const Model& model, const Codec& codec) const override;
  std::string metric() const override { return "samples_distance"; }
  // samples_distance, samples_evaluations, and samples_right where there are labels.
  std::optional<MetricValues> measure(const Model& model, const Codec& codec) const override;

 private:
  QualityMeter meter_;
  DescentOptions descent_;
  Contest contest_;
  const Host& host_;
};

}  // namespace eqm::app
