// Any exception as an Error, for doors: what the standard library and LibTorch throw gets a kind
// and a hint as well.
#pragma once

#include <exception>

#include "eqm/base/error.h"

namespace eqm {

// An Error is itself; too little memory is kind usage, a refusal of the system kind io, and
// everything else a mistake of ours.
Error error_from(const std::exception& exception);

}  // namespace eqm
