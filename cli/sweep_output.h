// What a sweep leaves: measurements that a later one need not repeat, a table, and charts.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/quality.h"
#include "cli/sweep_grid.h"
#include "eqm/io/jsonl.h"

namespace eqm::cli {

struct Measured {
  GridPoint point;
  Quality quality;
};

// Measurements by their settings, which are JSON; each is on disk once it is added.
class SweepStore {
 public:
  // Kind input when the file holds something else. It is made with its first line.
  explicit SweepStore(const std::filesystem::path& path);

  const Quality* find(const std::string& setting) const;
  void add(const std::string& setting, const Quality& quality);

 private:
  std::filesystem::path path_;
  std::optional<LineLog> log_;
  std::map<std::string, Quality> known_;
};

// sweep.csv, a chart over every axis of numbers, and one over the evaluations; `floor` is the
// distance of real data.
void write_sweep(const std::filesystem::path& folder, const std::vector<Axis>& axes,
                 const std::vector<Measured>& measured, std::optional<double> floor);

}  // namespace eqm::cli
