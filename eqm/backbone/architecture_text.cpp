#include "eqm/backbone/architecture_text.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace eqm {

std::string architecture_text(const std::string& architecture) {
  std::vector<std::string> parts;
  const auto json = nlohmann::json::parse(architecture);
  for (const auto& [key, value] : json.items()) {
    if (key == "kind") continue;
    parts.push_back(fmt::format("{} {}", key, value.is_null() ? "none" : value.dump()));
  }
  return fmt::format("{}: {}", json.at("kind").get<std::string>(), fmt::join(parts, ", "));
}

}  // namespace eqm
