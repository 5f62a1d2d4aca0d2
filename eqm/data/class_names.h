// Names of classes go into JSON, which is UTF-8.
#pragma once

#include "eqm/data/source.h"

namespace eqm {

// Kind input, naming it, when the name of a class is not UTF-8.
void require_utf8_classes(const Source& source);

}  // namespace eqm
