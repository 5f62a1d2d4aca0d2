// What the arguments in a checkpoint of the reference, or of SiT, say about the model.
#pragma once

#include <map>
#include <string>

#include "eqm/landscape/objective.h"

namespace eqm {

using TrainingArguments = std::map<std::string, std::string>;

// EqM where nothing is said. An input error for predictions we have no objective for.
Objective objective_from(const TrainingArguments& arguments);

// 0 when they do not say.
int64_t classes_from(const TrainingArguments& arguments);

}  // namespace eqm
