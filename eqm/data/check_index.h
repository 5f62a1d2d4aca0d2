// Guards the examples of a source against numbers outside of it.
#pragma once

#include <cstdint>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm {

inline void check_index(int64_t index, int64_t size) {
  if (index >= 0 && index < size) return;
  throw Error(ErrorKind::usage, fmt::format("there is no example {} among {}", index, size),
              "examples count from 0");
}

}  // namespace eqm
