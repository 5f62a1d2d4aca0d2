#include "eqm/app/lab/experiment_result.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm::app {
namespace {

std::optional<double> as_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Estimate measured_in(const ExperimentResult& result, const MeasuredName& name) {
  const auto curve = std::ranges::find(result.curves, name.curve, &ResultCurve::name);
  const std::string& number = name.number.empty() ? result.numbers.front() : name.number;
  if (curve != result.curves.end()) {
    for (const ResultPoint& point : curve->points) {
      const bool only = name.point.empty() && curve->points.size() == 1;
      if (!only && !is_same_point(point.point, name.point)) continue;
      if (const Estimate* found = find_estimate(point.numbers, number)) return *found;
    }
  }
  throw Error(ErrorKind::input,
              fmt::format("{}: a claim speaks of {}[{}]:{}, which is not measured",
                          result.experiment.name, name.curve, name.point, number),
              "claims name curves, points of `vary`, and numbers of the measurement");
}

std::string inequality_text(const Claim& claim, const MeasuredLookup& lookup) {
  std::string text;
  for (size_t i = 0; i < claim.sides.size(); ++i) {
    if (i > 0) text += fmt::format(" {} ", claim.relations[i - 1]);
    text += text_of(value_of(claim.sides[i], lookup));
  }
  return text;
}

}  // namespace

bool is_same_point(const std::string& a, const std::string& b) {
  const auto x = as_number(a), y = as_number(b);
  return x && y ? *x == *y : a == b;
}

std::optional<double> paper_number(const ExperimentCurve& curve, const std::string& point) {
  std::istringstream words(curve.paper);
  for (std::string word; words >> word;) {
    const size_t colon = word.find(':');
    if (colon == std::string::npos) return as_number(word);
    if (is_same_point(word.substr(0, colon), point)) return as_number(word.substr(colon + 1));
  }
  return std::nullopt;
}

void judge_claims(ExperimentResult& result) {
  const MeasuredLookup lookup = [&](const MeasuredName& name) { return measured_in(result, name); };
  result.claims.clear();
  for (const ExperimentClaim& claim : result.experiment.claims) {
    const Claim inequality = parse_claim(claim.that, result.experiment.name);
    result.claims.push_back({.claim = claim,
                             .verdict = verdict_of(inequality, lookup),
                             .numbers = inequality_text(inequality, lookup)});
  }
}

}  // namespace eqm::app
