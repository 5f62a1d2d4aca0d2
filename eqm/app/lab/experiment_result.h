// What an experiment has found: numbers by curve and point, and a verdict on each claim.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eqm/app/lab/experiment.h"

namespace eqm::app {

struct ResultPoint {
  std::string point = {};       // on the axis that is varied; empty where none is
  std::string chosen = {};      // "eta 0.01": where the best of another axis was taken
  NamedEstimates numbers = {};  // means over seeds
};

struct ResultCurve {
  std::string name;
  std::vector<ResultPoint> points;
};

struct ClaimResult {
  ExperimentClaim claim;
  Verdict verdict = Verdict::undecided;
  std::string numbers;  // the inequality with what was measured
};

struct ExperimentResult {
  Experiment experiment = {};
  std::string scale = {};
  int64_t seeds = 1;
  std::vector<std::string> numbers = {};  // columns of the table, the first one charted
  std::string axis = {};                  // that the points lie on; empty for none
  std::vector<ResultCurve> curves = {};
  std::vector<ClaimResult> claims = {};
};

// Whether two texts mean one point: "0.0040" and "0.004" do.
bool is_same_point(const std::string& a, const std::string& b);

// The paper's number for a point of a curve, where it gives one.
std::optional<double> paper_number(const ExperimentCurve& curve, const std::string& point);

// Fills in the claims from the curves. Kind input for a claim about what was not measured.
void judge_claims(ExperimentResult& result);

}  // namespace eqm::app
