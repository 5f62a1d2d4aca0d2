// Tables of names for enumerations: what options, files and messages call their values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eqm {

template <class Enum>
using Names = std::vector<std::pair<std::string, Enum>>;

// The name of a value; empty when the table lacks it.
template <class Enum>
std::string name_in(const Names<Enum>& names, Enum value) {
  for (const auto& [name, item] : names) {
    if (item == value) return name;
  }
  return {};
}

template <class Enum>
std::optional<Enum> find_named(const Names<Enum>& names, std::string_view text) {
  for (const auto& [name, item] : names) {
    if (name == text) return item;
  }
  return std::nullopt;
}

template <class Enum>
std::vector<std::string> all_names(const Names<Enum>& names) {
  std::vector<std::string> all;
  for (const auto& entry : names) all.push_back(entry.first);
  return all;
}

}  // namespace eqm
