#include "eqm/app/lab/measurement_store.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/base/error.h"

namespace eqm::app {

MeasurementStore::MeasurementStore(const std::filesystem::path& path) : path_(path) {
  std::error_code ignored;  // then the writing will tell
  if (!std::filesystem::exists(path, ignored)) return;
  for (const std::string& line : read_lines(path)) {
    try {
      const auto json = nlohmann::json::parse(line);
      NamedEstimates& numbers = known_[json.at("key").get<std::string>()];
      numbers.clear();
      for (const auto& one : json.at("numbers")) {
        numbers.emplace_back(
            one.at("name").get<std::string>(),
            Estimate{.value = one.at("value"), .low = one.at("low"), .high = one.at("high")});
      }
    } catch (const nlohmann::json::exception&) {
      throw Error(ErrorKind::input,
                  fmt::format("'{}' holds a line that is no measurement", path.string()),
                  "move the file away: what it held is then measured again");
    }
  }
}

const NamedEstimates* MeasurementStore::find(const std::string& key) const {
  const auto found = known_.find(key);
  return found == known_.end() ? nullptr : &found->second;
}

void MeasurementStore::add(const std::string& key, const std::string& about,
                           const NamedEstimates& numbers) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [name, estimate] : numbers) {
    list.push_back({{"name", name},
                    {"value", estimate.value},
                    {"low", estimate.low},
                    {"high", estimate.high}});
  }
  if (!log_) log_.emplace(path_);
  log_->append(nlohmann::json{{"key", key}, {"about", about}, {"numbers", list}}.dump());
  known_[key] = numbers;
}

}  // namespace eqm::app
