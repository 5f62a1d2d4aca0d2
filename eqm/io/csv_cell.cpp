#include "eqm/io/csv_cell.h"

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace eqm {

Cell parse_cell(std::string_view text) {
  // from_chars knows no plus sign; "+-1" must not become a number by dropping it.
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc::invalid_argument || end != text.data() + text.size()) return {};
  if (status == std::errc::result_out_of_range) return {.kind = CellKind::out_of_range};
  if (!std::isfinite(value)) return {.kind = CellKind::not_finite};
  return {.kind = CellKind::number, .value = value};
}

void append_number(std::string& out, double value) {
  std::array<char, 32> digits;  // "-2.2250738585072014e-308" takes 24
  const auto [end, status] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  static_cast<void>(status);
  out.append(digits.data(), end);
}

}  // namespace eqm
