// What options are called elsewhere: names that people bring from other programs of the field, such
// as cfg-scale or -n, and what they are called here. They are not accepted, only recognised.
#pragma once

#include <string>
#include <string_view>

#include "eqm/base/options.h"

namespace eqm {

// The option of `options` that an unknown word ("--cfg", "-n8") stands for; null when none does.
const Option* option_meant_by(std::string_view word, const OptionSet& options);

}  // namespace eqm
