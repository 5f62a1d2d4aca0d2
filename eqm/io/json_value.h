// Reads values of JSON that came from outside. The JSON library casts 1e40 to an integer unchecked,
// which is undefined behaviour. Here an integer must be written as one and fit its type; everything
// else is read as the library does. All failures are exceptions of the library.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace eqm {

template <class T>
concept JsonInteger = std::integral<T> && !std::same_as<T, bool>;

template <JsonInteger T>
void read_json(const nlohmann::json& from, T& to) {
  const bool fits = from.is_number_unsigned()
                        ? std::in_range<T>(from.get<uint64_t>())
                        : from.is_number_integer() && std::in_range<T>(from.get<int64_t>());
  if (!fits) {
    throw nlohmann::json::out_of_range::create(
        401, "expected an integer that fits, not " + from.dump().substr(0, 40), &from);
  }
  to = from.get<T>();
}

template <class T>
void read_json(const nlohmann::json& from, T& to) {
  from.get_to(to);
}

template <JsonInteger T>
void read_json(const nlohmann::json& from, std::vector<T>& to) {
  to.clear();
  for (const nlohmann::json& item : from.get_ref<const nlohmann::json::array_t&>()) {
    read_json(item, to.emplace_back());
  }
}

template <JsonInteger T>
void read_json(const nlohmann::json& from, std::map<std::string, T>& to) {
  to.clear();
  for (const auto& [key, value] : from.get_ref<const nlohmann::json::object_t&>()) {
    read_json(value, to[key]);
  }
}

template <class T>
T json_value(const nlohmann::json& from) {
  T value{};
  read_json(from, value);
  return value;
}

}  // namespace eqm
