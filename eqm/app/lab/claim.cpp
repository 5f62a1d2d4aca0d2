#include "eqm/app/lab/claim.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm::app {
namespace {

// Reads a claim from left to right.
class ClaimReader {
 public:
  ClaimReader(const std::string& text, const std::string& origin) : text_(text), origin_(origin) {}

  Claim claim() {
    Claim claim;
    claim.sides.push_back(term());
    while (!at_end()) {
      const char relation = next();
      if (relation != '<' && relation != '>') refuse("no < or > between two sides");
      accept('=');
      claim.relations.push_back(relation);
      claim.sides.push_back(term());
    }
    if (claim.relations.empty()) refuse("no < or > between two sides");
    return claim;
  }

 private:
  using Join = ClaimTerm::Join;

  ClaimTerm term() {
    ClaimTerm term;
    if (const auto number = factor()) {
      term.factor = *number;
      if (!accept('*')) {
        term.constant = true;
        return term;
      }
    }
    const std::string word = name();
    static const std::map<std::string, Join, std::less<>> kJoins = {
        {"min", Join::min}, {"max", Join::max}, {"mean", Join::mean}, {"spread", Join::spread}};
    if (const auto join = kJoins.find(word); join != kJoins.end() && accept('(')) {
      term.join = join->second;
      do term.of.push_back(measured(name()));
      while (accept(','));
      if (!accept(')')) refuse("a bracket is not closed");
    } else {
      term.of.push_back(measured(word));
    }
    return term;
  }

  // Only where a number ends before '*', a relation or the end: curves may begin with digits.
  std::optional<double> factor() {
    skip_blanks();
    double value = 0;
    const char* first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
    size_t after = static_cast<size_t>(end - text_.data());
    while (after < text_.size() && text_[after] == ' ') ++after;
    if (after < text_.size() &&
        std::string_view("*<>").find(text_[after]) == std::string_view::npos) {
      return std::nullopt;
    }
    at_ = after;
    return value;
  }

  MeasuredName measured(std::string curve) {
    MeasuredName measured = {.curve = std::move(curve)};
    if (accept('[')) {
      const size_t end = text_.find(']', at_);
      if (end == std::string::npos) refuse("a bracket is not closed");
      measured.point = text_.substr(at_, end - at_);
      at_ = end + 1;
    }
    if (accept(':')) measured.number = name();
    return measured;
  }

  std::string name() {
    skip_blanks();
    const size_t first = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    if (at_ == first) refuse("a name or a number is missing");
    return text_.substr(first, at_ - first);
  }

  static bool is_letter(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) || letter == '-' || letter == '_' ||
           letter == '.' || letter == '+' || letter == '/';
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  char next() { return text_[at_++]; }
  bool accept(char letter) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != letter) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void refuse(const char* why) const {
    throw Error(ErrorKind::input, fmt::format("{}: the claim '{}' has {}", origin_, text_, why),
                "write it as \"gd[20] < 1.1 * nag[20]\", with names of curves");
  }

  const std::string& text_;
  const std::string& origin_;
  size_t at_ = 0;
};

Estimate spread_of(const std::vector<Estimate>& of) {
  const Estimate low = *std::ranges::min_element(of, {}, &Estimate::value);
  const Estimate high = *std::ranges::max_element(of, {}, &Estimate::value);
  const double ratio = high.value / low.value;
  const double reach =
      ratio * std::hypot(high.half_width() / high.value, low.half_width() / low.value);
  return {.value = ratio, .low = ratio - reach, .high = ratio + reach};
}

Estimate joined(ClaimTerm::Join join, const std::vector<Estimate>& of) {
  switch (join) {
    case ClaimTerm::Join::one:
      return of.front();
    case ClaimTerm::Join::min:
      return *std::ranges::min_element(of, {}, &Estimate::value);
    case ClaimTerm::Join::max:
      return *std::ranges::max_element(of, {}, &Estimate::value);
    case ClaimTerm::Join::spread:
      return spread_of(of);
    case ClaimTerm::Join::mean:
      break;
  }
  Estimate mean;
  double square = 0;
  for (const Estimate& one : of) {
    mean.value += one.value / static_cast<double>(of.size());
    square += one.half_width() * one.half_width();
  }
  const double reach = std::sqrt(square) / static_cast<double>(of.size());
  return {.value = mean.value, .low = mean.value - reach, .high = mean.value + reach};
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::fails:
      return "does not hold";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

Claim parse_claim(const std::string& text, const std::string& origin) {
  return ClaimReader(text, origin).claim();
}

std::vector<MeasuredName> names_in(const Claim& claim) {
  std::vector<MeasuredName> names;
  for (const ClaimTerm& side : claim.sides) {
    names.insert(names.end(), side.of.begin(), side.of.end());
  }
  return names;
}

Estimate value_of(const ClaimTerm& term, const MeasuredLookup& lookup) {
  if (term.constant) return {.value = term.factor, .low = term.factor, .high = term.factor};
  std::vector<Estimate> of;
  for (const MeasuredName& name : term.of) of.push_back(lookup(name));
  Estimate value = joined(term.join, of);
  value.value *= term.factor;
  value.low *= term.factor;
  value.high *= term.factor;
  return value;
}

Verdict verdict_of(const Claim& claim, const MeasuredLookup& lookup) {
  Verdict verdict = Verdict::holds;
  for (size_t i = 0; i < claim.relations.size(); ++i) {
    const Estimate left = value_of(claim.sides[i], lookup);
    const Estimate right = value_of(claim.sides[i + 1], lookup);
    const double sign = claim.relations[i] == '<' ? 1 : -1;
    const double difference = sign * (right.value - left.value);
    const double reach = std::hypot(left.half_width(), right.half_width());
    if (difference < -reach) return Verdict::fails;
    if (!(difference > reach)) verdict = Verdict::undecided;
  }
  return verdict;
}

}  // namespace eqm::app
