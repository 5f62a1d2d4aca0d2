// A second model drawn beside the first, from the same noise, by the same rule and step size.
#pragma once

#include <string>
#include <vector>

#include "eqm/app/film_strip.h"
#include "eqm/app/host.h"
#include "eqm/app/sampling_rows.h"
#include "eqm/codec/options.h"
#include "eqm/descend/options.h"
#include "eqm/landscape/model.h"

namespace eqm::app {

// How two models are drawn that have to take the same steps: by Euler's where no rule was chosen,
// which are gradient descent on a landscape.
DescentOptions descent_beside(DescentOptions descent);

class Beside {
 public:
  // `name` is the other model. Kind usage when the two make different things, when their classes
  // differ, or when the descent does not suit the other one.
  Beside(const std::string& name, const SamplingPlan& plan, const DescentOptions& descent,
         const CodecOptions& codec, const torch::TensorOptions& type);

  // Receives the samples of the first model.
  FilmStrip& strip() { return first_; }

  // Draws those of the other from the same noise; false when the host asked for a stop.
  bool draw(const std::vector<SamplingRow>& rows, uint64_t seed, Host& host);

  // Two rows for each label: the first model, called `name`, and the other.
  Image picture(const std::string& name) const;

 private:
  std::string name_;
  const SamplingPlan& plan_;
  DescentOptions descent_;  // resolved for the first model
  Model model_;
  Codec codec_;
  FilmStrip first_, second_;
};

}  // namespace eqm::app
