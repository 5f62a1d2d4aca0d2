// What samples are asked for, as people write it (labels, guidance, mixtures), as terms of the
// field: a row for each label, which samples take in turn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eqm/base/log.h"
#include "eqm/base/options.h"
#include "eqm/landscape/guidance.h"
#include "eqm/landscape/model.h"
#include "eqm/landscape/terms.h"

namespace eqm::app {

struct SamplingRowsOptions {
  std::string labels = {};  // as labels_of() reads them; empty: see UnnamedClasses
  std::string mix = {};     // as mix_of() reads it, in place of labels
  GuidanceOptions guidance = {};

  void declare(OptionSet& options);
};

struct SamplingRow {
  std::string name;  // of the class, or the mix; empty for a model without classes
  Terms terms;
  std::optional<int64_t> label = {};  // none for mixtures and models without classes
};

// A usage error when labels or guidance stand beside a mix.
void require_mix_alone(const SamplingRowsOptions& options);

// Which classes are meant where none is named.
enum class UnnamedClasses {
  first_ten,  // enough to look at
  all,        // as evaluators want them
};

// At least one row. Kind usage for labels the model does not have and for options that contradict
// each other.
std::vector<SamplingRow> sampling_rows(const Model& model, const SamplingRowsOptions& options,
                                       UnnamedClasses unnamed, Logger& log);

}  // namespace eqm::app
