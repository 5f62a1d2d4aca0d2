// What a sweep leaves: measurements that a later one need not repeat, a table, and charts.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eqm/app/quality.h"
#include "eqm/app/sweep_grid.h"
#include "eqm/io/jsonl.h"

namespace eqm::app {

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

// What all points of a sweep have in common.
struct SweepSubject {
  int64_t samples = 0, features = 0;  // of each point, of the network
  std::optional<double> floor = {};   // the distance of as many real pictures
};

// sweep.csv, a chart over every axis of numbers, and one over the evaluations.
void write_sweep(const std::filesystem::path& folder, const std::vector<Axis>& axes,
                 const std::vector<Measured>& measured, const SweepSubject& subject);

}  // namespace eqm::app
