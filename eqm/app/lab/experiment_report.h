// What an experiment leaves in its folder: table.md, table.csv, result.json, figure.png and
// figure.svg; and a summary of several.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "eqm/app/lab/experiment_result.h"
#include "eqm/draw/canvas.h"

namespace eqm::app {

// The table in Markdown, with the paper's numbers and the verdicts.
std::string report_text(const ExperimentResult& result);

draw::Canvas report_figure(const ExperimentResult& result);

// Answers the names of the files.
std::vector<std::string> write_report(const std::filesystem::path& folder,
                                      const ExperimentResult& result);

// One line per claim of all experiments, in Markdown.
std::string summary_text(std::span<const ExperimentResult> results);

}  // namespace eqm::app
