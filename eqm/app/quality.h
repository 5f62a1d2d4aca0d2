// How good the samples of a setting are: drawn through the engine, compared with data by the
// features of a network.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "eqm/app/comparison.h"
#include "eqm/app/start_images.h"
#include "eqm/descend/sampling.h"

namespace eqm::app {

struct Quality {
  double distance = 0;             // Fréchet, to the data
  std::optional<double> accuracy;  // share of samples that look like the label asked for
  double evaluations = 0;          // of the field, per sample
  double seconds = 0;              // to draw them
  int64_t diverged = 0;
};

// "86.2%", or nothing.
std::string percent_text(const std::optional<double>& share);

inline constexpr const char* kLabelsInTurnHelp =
    "classes that samples take in turn, by name or number, separated by commas; null for no "
    "class; empty for all";

struct Contest {
  int64_t samples = 512;
  uint64_t seed = 0;
  std::string labels = {};  // as labels_in_turn() takes them
  GuidanceOptions guidance = {};
  double gamma = 0;                     // above 0: samples start from the images
  const StartImages* images = nullptr;  // then not null
};

// Kind usage where the model lacks a class that was named, or what guidance needs.
void require_labels(const std::string& labels, const GuidanceOptions& guidance,
                    const LearnedField& field);

class QualityMeter {
 public:
  // Opens the reference, and looks at it when it is first needed.
  QualityMeter(FeatureNetPtr network, const ComparisonOptions& options, Host& host);

  // Samples with labels in turn; where they are null, no class is asked for and none is compared.
  // `go_on` is asked after every tick; when it answers false, nothing comes back.
  std::optional<Quality> of(const LearnedField& field, const Codec& codec,
                            const DescentOptions& descent, const Contest& contest,
                            const std::function<bool(const EngineCounts&)>& go_on) const;

  // Of states that are there already; [n] labels or undefined.
  Quality of(const Tensor& states, const Codec& codec, const Tensor& labels) const;

  // The same number for as many real pictures that neither the network nor the reference has seen,
  // a mean over several such sets where there are.
  // None when the reference has not so many in a test part, or when they are too few for a
  // covariance of full rank: real pictures, being more varied, would look worse than samples.
  std::optional<double> floor(int64_t count) const;

  const FeatureNet& network() const { return *network_; }

 private:
  const FrechetTarget& reference() const;

  FeatureNetPtr network_;
  ComparisonOptions options_;
  ReferenceData data_;
  std::shared_ptr<Logger> log_;
  mutable std::optional<FrechetTarget> reference_;
};

}  // namespace eqm::app
