// The quality of samples while a model is being trained.
#pragma once

#include "eqm/app/quality.h"
#include "eqm/train/measurement.h"

namespace eqm::app {

// samples_distance, samples_evaluations, and samples_right where there are labels, every so many
// steps. Given up when the host asks for a stop; it must outlive the measurement.
Measurement quality_measurement(QualityMeter meter, const DescentOptions& descent,
                                const Contest& contest, int64_t every, const Host& host);

}  // namespace eqm::app
