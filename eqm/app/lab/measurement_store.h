// What a lab has measured: one line of JSON each, on disk as soon as it is known, found again by a
// hash of all it follows from.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "eqm/app/lab/estimate.h"
#include "eqm/io/jsonl.h"

namespace eqm::app {

class MeasurementStore {
 public:
  // Kind input when the file holds something else. It is made with its first line.
  explicit MeasurementStore(const std::filesystem::path& path);

  const NamedEstimates* find(const std::string& key) const;
  // `about` is for people who read the file.
  void add(const std::string& key, const std::string& about, const NamedEstimates& numbers);

 private:
  std::filesystem::path path_;
  std::optional<LineLog> log_;
  std::map<std::string, NamedEstimates> known_;
};

}  // namespace eqm::app
