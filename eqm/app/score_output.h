// What `eqm score` says and draws about the scores of several sets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "eqm/draw/canvas.h"

namespace eqm::app {

struct ScoredSet {
  std::string name;
  std::vector<int64_t> indices;  // of the examples in their set
  std::vector<double> scores;    // one for each, finite
};

// A line per set: count, mean and median score, and the AUROC against the first set.
std::string score_table(std::span<const ScoredSet> sets);

// A line per example: set, index, score.
void write_scores(const std::filesystem::path& path, std::span<const ScoredSet> sets);

// Histograms over each other; `score` names what is counted.
draw::Canvas score_figure(std::span<const ScoredSet> sets, const std::string& score);

}  // namespace eqm::app
