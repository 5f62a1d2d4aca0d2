// Where the tables of a benchmark go, a piece at a time while it measures.
#pragma once

#include <functional>
#include <string>

namespace eqm::bench {

// Answers false when nobody reads any more, which ends the measuring.
using TableSink = std::function<bool(const std::string& text)>;

}  // namespace eqm::bench
