// Options of training come in layers: the record of the run that is resumed, a recipe, and what is
// given by name. A door reads them in this order, with these two rules.
#pragma once

#include <map>
#include <string>

#include "eqm/app/train.h"

namespace eqm::app {

// Options as they were given by name, as text.
using GivenOptions = std::map<std::string, std::string>;

// The record of the run that `given` resumes, to be read before anything else; empty when it
// resumes none. `options` has the defaults.
std::string record_to_resume(const TrainingOptions& options, const GivenOptions& given);

// Steps and epochs say the same thing: what is given wins over a file. To be called when files have
// been read, before `given` is. Kind usage for both at once.
void choose_duration(TrainingOptions& options, const GivenOptions& given);

}  // namespace eqm::app
