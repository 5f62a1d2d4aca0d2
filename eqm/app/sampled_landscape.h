// What samples are drawn from: the landscape of one model, or of several that a mix names, summed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eqm/app/sampling_rows.h"
#include "eqm/landscape/field.h"
#include "eqm/landscape/model.h"

namespace eqm::app {

struct SampledLandscape {
  std::string model_name;  // as it was given, or found
  Model model;             // the first: what states mean is the same to all
  std::shared_ptr<const Field> field;
  // What the descent follows from: the first model's, with the weighted mean of all λ.
  Objective objective;
  std::vector<SamplingRow> rows;  // with labels of the field
};

// `model` is what the option says; empty: the first that the mix names, or else the shipped one.
// Kind usage for models that cannot be summed: of different states, scalings or landscapes.
SampledLandscape open_landscape(const std::string& model, const SamplingRowsOptions& rows,
                                UnnamedClasses unnamed, const torch::TensorOptions& type,
                                Logger& log);

}  // namespace eqm::app
