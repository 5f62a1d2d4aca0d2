// A claim of the paper as an inequality between measured numbers, and whether it holds.
//
//   "truncated-0.8 < constant"                    two curves
//   "nag[20] < gd[20] < 2 * gd[100]"              their points on the axis that is varied
//   "adaptive:evaluations < 0.6 * fixed:evaluations"   another number than the first
//   "min(a, b) < mean(c, d)"                      of several; also max and spread (largest /
//   smallest)
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "eqm/app/lab/estimate.h"

namespace eqm::app {

// Which measured number is meant.
struct MeasuredName {
  std::string curve;
  std::string point = {};   // empty: the only one
  std::string number = {};  // empty: the first that is measured
};

enum class Verdict { holds, fails, undecided };
std::string_view name_of(Verdict verdict);

// One side of an inequality.
struct ClaimTerm {
  enum class Join { one, min, max, mean, spread } join = Join::one;
  double factor = 1;
  bool constant = false;  // the factor alone
  std::vector<MeasuredName> of = {};
};

struct Claim {
  std::vector<ClaimTerm> sides;  // two or more
  std::vector<char> relations;   // '<' or '>', one fewer
};

// Kind input for text that is no inequality; `origin` stands before the sentence.
Claim parse_claim(const std::string& text, const std::string& origin);

// All numbers it speaks of.
std::vector<MeasuredName> names_in(const Claim& claim);

using MeasuredLookup = std::function<Estimate(const MeasuredName&)>;

Estimate value_of(const ClaimTerm& term, const MeasuredLookup& lookup);

// An inequality holds when the difference of its sides is beyond the interval of that difference,
// both taken as independent; of several in a row, all must.
Verdict verdict_of(const Claim& claim, const MeasuredLookup& lookup);

}  // namespace eqm::app
