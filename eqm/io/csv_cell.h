// One cell of a CSV file as a number; shared by reader and writer. Internal to io; users want
// csv.h.
#pragma once

#include <string>
#include <string_view>

namespace eqm {

enum class CellKind {
  number,
  not_a_number,  // text, or nothing
  not_finite,    // nan, inf and the like
  out_of_range,  // a number that no double can hold, too large or too close to zero
};

struct Cell {
  CellKind kind = CellKind::not_a_number;
  double value = 0;
};

// Locale-independent; a leading '+' is allowed.
Cell parse_cell(std::string_view text);

// Appends the shortest digits that read back to the same double.
void append_number(std::string& out, double value);

}  // namespace eqm
