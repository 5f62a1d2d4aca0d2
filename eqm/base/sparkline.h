// A curve in one line of text: ▁▂▃▄▅▆▇█. A pure function, safe from any thread.
#pragma once

#include <span>
#include <string>

namespace eqm {

// At most `width` bars. Longer series are cut into parts of about equal length, each shown by its
// mean. Values that are not finite are left out; a part with nothing else is a blank. A constant
// series is a line of middle height; one without finite values is empty.
std::string sparkline(std::span<const double> values, size_t width);

}  // namespace eqm
