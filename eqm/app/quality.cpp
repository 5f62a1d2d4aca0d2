#include "eqm/app/quality.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "eqm/app/cut_short.h"
#include "eqm/base/draws.h"
#include "eqm/codec/states.h"
#include "eqm/data/order.h"
#include "eqm/data/pick_source.h"
#include "eqm/landscape/labels.h"

namespace eqm::app {

namespace {

// Distances of a few hundred pictures scatter much, so those of several sets are averaged.
constexpr int64_t kFloorSets = 8, kFloorPictures = 4096;  // at most

FrechetTarget target_of(const FeatureNet& network, const ReferenceData& reference) {
  return FrechetTarget(reference.statistics ? reference.statistics->features
                                            : moments_of(network, *reference.pictures));
}

}  // namespace

std::string percent_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}%", 100 * *share) : "";
}

void require_labels(const std::string& labels, const GuidanceOptions& guidance,
                    const LearnedField& field) {
  const Tensor one = labels_in_turn(field.model(), labels, 1);
  validate({.labels = one, .count = 1, .guidance = guidance}, field);
}

QualityMeter::QualityMeter(FeatureNetPtr network, const ComparisonOptions& options, Host& host)
    : network_(std::move(network)),
      options_(options),
      data_(open_reference(*network_, options, host)),
      log_(host.log()) {}

const FrechetTarget& QualityMeter::reference() const {
  if (!reference_) {
    if (data_.pictures && !data_.statistics) {
      log_->info("computing features of {} pictures of {}", data_.pictures->size(),
                 options_.reference);
    }
    reference_ = target_of(*network_, data_);
  }
  return *reference_;
}

std::optional<double> QualityMeter::floor(int64_t count) const {
  const int64_t wanted = std::clamp<int64_t>(kFloorPictures / count, 1, kFloorSets);
  const SourcePtr unseen = unseen_pictures(*network_, options_, wanted * count);
  if (!unseen) return std::nullopt;
  if (unseen->size() < count) {
    log_->warn(
        "no distance of real data: {} has {} pictures that were not trained on, and {} samples are "
        "compared",
        options_.reference, unseen->size(), count);
    return std::nullopt;
  }
  if (count <= network_->feature_count()) {
    log_->warn(
        "no distance of real data: with {} pictures and {} features it would be mostly that of a "
        "singular covariance, and larger for what is more varied",
        count, network_->feature_count());
    return std::nullopt;
  }
  double sum = 0;
  const int64_t sets = unseen->size() / count;
  for (int64_t set = 0; set < sets; ++set) {
    std::vector<int64_t> places;
    for (int64_t i = 0; i < count; ++i) {
      places.push_back(shuffled(kFloorSeed, 0, set * count + i, unseen->size()));
    }
    std::ranges::sort(places);
    sum += reference().distance(moments_of(*network_, *pick_source(unseen, std::move(places))));
  }
  return sum / static_cast<double>(sets);
}

Quality QualityMeter::of(const Tensor& states, const Codec& codec, const Tensor& labels) const {
  const FeatureNet::Opinion opinion = network_->of(bytes_of(states, codec));
  Moments moments;
  moments.add(opinion.features);
  Quality quality;
  quality.distance = reference().distance(moments);
  if (labels.defined() && opinion.labels.defined()) {
    const Tensor asked = labels.cpu() != kNullClass;
    const Tensor right = opinion.labels.cpu() == labels.cpu();
    quality.accuracy = right.index({asked}).to(torch::kFloat64).mean().item<double>();
  }
  return quality;
}

std::optional<Quality> QualityMeter::of(
    const LearnedField& field, const Codec& codec, const DescentOptions& descent,
    const Contest& contest, const std::function<bool(const EngineCounts&)>& go_on) const {
  const Model& model = field.model();
  require_fitting(*network_, model, codec);
  bool whole = true;
  SamplingSpec request = {.labels = labels_in_turn(model, contest.labels, contest.samples),
                          .count = contest.samples,
                          .guidance = contest.guidance,
                          .seed = contest.seed,
                          .descent = descent};
  if (contest.gamma > 0) {
    start_from(*contest.images, contest.gamma, model, contest.labels, request);
  }
  request.go_on = [&](const EngineCounts& counts) {
    whole = whole && (!go_on || go_on(counts));
    return whole;
  };
  const auto start = std::chrono::steady_clock::now();
  const DescentResult drawn = sample(field, request);
  if (!whole) return std::nullopt;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  Quality quality = of(drawn.x, codec, request.labels);
  quality.seconds = taken.count();
  int64_t at_the_limit = 0;
  for (const SampleRecord& record : drawn.samples) {
    at_the_limit += record.status == DescentStatus::limit ? 1 : 0;
    quality.evaluations += static_cast<double>(record.evaluations);
    quality.diverged += record.status == DescentStatus::diverged ? 1 : 0;
  }
  quality.evaluations /= static_cast<double>(contest.samples);
  warn_of_cut_short(descent, model.objective, at_the_limit, contest.samples, *log_);
  return quality;
}

}  // namespace eqm::app
