// What `eqm score` says and draws about the scores of several sets.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "eqm/app/scored_set.h"
#include "eqm/draw/canvas.h"

namespace eqm::app {

// Fills in how well each set is told from the first, and answers the average; nothing when there is
// no other set.
std::optional<Detection> detect_sets(std::vector<ScoredSet>& sets);

// A line per set: count, mean and median score, AUROC, AUPR and FPR at 95 % against the first set,
// the AUROC with its 90 % range; then their average when there are several.
std::string score_table(std::span<const ScoredSet> sets, const std::optional<Detection>& average);

// The same numbers, all with their ranges.
nlohmann::json score_json(std::span<const ScoredSet> sets, const std::optional<Detection>& average);

// A line per example: set, index, score.
void write_scores(const std::filesystem::path& path, std::span<const ScoredSet> sets);

// Histograms over each other; `score` names what is counted.
draw::Canvas score_figure(std::span<const ScoredSet> sets, const std::string& score);

}  // namespace eqm::app
