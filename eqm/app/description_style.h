// How a description speaks to its reader: the uses that the reader has, and how options are
// written.
#pragma once

#include <vector>

#include "eqm/app/uses.h"
#include "eqm/base/option_keys.h"

namespace eqm::app {

struct DescriptionStyle {
  std::vector<Use> known_uses = uses();
  KeyStyle option = bare_key;
};

}  // namespace eqm::app
