#include "eqm/measure/detection.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "eqm/base/error.h"

namespace eqm {
namespace {

// How often each example of a sorted set counts.
using Multiplicities = std::vector<uint32_t>;

std::vector<double> sorted_scores(std::span<const double> scores) {
  if (scores.empty()) {
    throw Error(ErrorKind::usage, "detection needs scores of both sets", "give at least one each");
  }
  if (!std::ranges::all_of(scores, [](double score) { return std::isfinite(score); })) {
    throw Error(ErrorKind::numeric, "detection by scores that are not all finite numbers",
                "is the model trained, and are the data in the range it knows?");
  }
  std::vector<double> sorted(scores.begin(), scores.end());
  std::ranges::sort(sorted);
  return sorted;
}

uint64_t sum_of(const Multiplicities& counts) {
  uint64_t sum = 0;
  for (const uint32_t count : counts) sum += count;
  return sum;
}

// Two sorted sets side by side, from the largest score down. What examples count may be changed
// without sorting again.
class SortedPair {
 public:
  SortedPair(const std::vector<double>& inside, const std::vector<double>& outside) {
    size_t in = inside.size(), out = outside.size();
    while (in > 0 || out > 0) {
      const bool ends_in = in == 0, ends_out = out == 0;
      const double level = ends_in    ? outside[out - 1]
                           : ends_out ? inside[in - 1]
                                      : std::max(inside[in - 1], outside[out - 1]);
      while (in > 0 && inside[in - 1] == level) --in;
      while (out > 0 && outside[out - 1] == level) --out;
      ends_.push_back({in, out});
    }
  }

  Separation separation(const Multiplicities& inside, const Multiplicities& outside) const {
    const uint64_t positives = sum_of(outside);
    const auto n = static_cast<double>(sum_of(inside)), m = static_cast<double>(positives);
    Ends begin = {inside.size(), outside.size()};
    uint64_t false_positives = 0, true_positives = 0;
    uint64_t halves = 0;  // two for every pair won, one for every tie
    Separation result = {.auroc = 0, .aupr = 0, .fpr95 = -1};
    for (const Ends& end : ends_) {
      uint64_t in = 0, out = 0;
      for (size_t i = end.inside; i < begin.inside; ++i) in += inside[i];
      for (size_t i = end.outside; i < begin.outside; ++i) out += outside[i];
      begin = end;
      halves += in * (2 * true_positives + out);
      false_positives += in;
      true_positives += out;
      if (out == 0) continue;
      const auto found = static_cast<double>(true_positives);
      result.aupr +=
          static_cast<double>(out) / m * (found / (found + static_cast<double>(false_positives)));
      if (result.fpr95 < 0 && 20 * true_positives >= 19 * positives) {
        result.fpr95 = static_cast<double>(false_positives) / n;
      }
    }
    result.auroc = static_cast<double>(halves) / (2 * n * m);
    return result;
  }

 private:
  // Where the examples of a level begin in each set; they end where the level above begins.
  struct Ends {
    size_t inside = 0, outside = 0;
  };
  std::vector<Ends> ends_;
};

void draw_multiplicities(std::mt19937_64& random, Multiplicities& counts) {
  std::ranges::fill(counts, 0);
  for (size_t i = 0; i < counts.size(); ++i) ++counts[random() % counts.size()];
}

RangedValue ranged(double value, std::vector<double> resampled) {
  std::ranges::sort(resampled);
  const auto at = [&](double share) {
    return resampled[static_cast<size_t>(
        std::lround(share * static_cast<double>(resampled.size() - 1)))];
  };
  return {.value = value, .range = {.low = at(0.05), .high = at(0.95)}};
}

Detection detection_of(const Separation& whole, const std::vector<Separation>& rounds) {
  const auto ranged_member = [&](double Separation::*member) {
    std::vector<double> values;
    for (const Separation& round : rounds) values.push_back(round.*member);
    return ranged(whole.*member, std::move(values));
  };
  return {.auroc = ranged_member(&Separation::auroc),
          .aupr = ranged_member(&Separation::aupr),
          .fpr95 = ranged_member(&Separation::fpr95)};
}

Separation mean_of(const std::vector<Separation>& all) {
  Separation mean;
  const auto count = static_cast<double>(all.size());
  for (const Separation& one : all) {
    mean.auroc += one.auroc / count;
    mean.aupr += one.aupr / count;
    mean.fpr95 += one.fpr95 / count;
  }
  return mean;
}

}  // namespace

Separation separation(std::span<const double> inside, std::span<const double> outside) {
  const SortedPair pair(sorted_scores(inside), sorted_scores(outside));
  return pair.separation(Multiplicities(inside.size(), 1), Multiplicities(outside.size(), 1));
}

DetectionReport detect(const std::vector<double>& inside,
                       const std::vector<std::vector<double>>& outside,
                       const DetectionOptions& options) {
  if (outside.empty() || options.resamplings < 1) {
    throw Error(ErrorKind::usage, "detection needs another set and at least one resampling",
                "give a set to compare with");
  }
  const std::vector<double> sorted_inside = sorted_scores(inside);
  std::vector<SortedPair> pairs;
  std::vector<Separation> whole;
  for (const std::vector<double>& scores : outside) {
    pairs.emplace_back(sorted_inside, sorted_scores(scores));
    whole.push_back(pairs.back().separation(Multiplicities(inside.size(), 1),
                                            Multiplicities(scores.size(), 1)));
  }
  std::vector<std::vector<Separation>> rounds(outside.size());
  std::vector<Separation> means;
  // Each set has its own draws, so that its range does not depend on what else is compared.
  std::mt19937_64 inside_random(options.seed);
  std::vector<std::mt19937_64> outside_random;
  for (size_t set = 0; set < outside.size(); ++set) {
    outside_random.emplace_back(options.seed + 1 + set);
  }
  Multiplicities inside_counts(inside.size());
  for (int64_t round = 0; round < options.resamplings; ++round) {
    draw_multiplicities(inside_random, inside_counts);
    std::vector<Separation> of_round;
    for (size_t set = 0; set < outside.size(); ++set) {
      Multiplicities outside_counts(outside[set].size());
      draw_multiplicities(outside_random[set], outside_counts);
      of_round.push_back(pairs[set].separation(inside_counts, outside_counts));
      rounds[set].push_back(of_round.back());
    }
    means.push_back(mean_of(of_round));
  }
  DetectionReport report;
  for (size_t set = 0; set < outside.size(); ++set) {
    report.sets.push_back(detection_of(whole[set], rounds[set]));
  }
  report.average = detection_of(mean_of(whole), means);
  return report;
}

}  // namespace eqm
