// What arithmetic leaves behind when it goes wrong.
#pragma once

#include <limits>

namespace eqm {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace eqm
