#include "cli/quality.h"

#include <chrono>

#include <fmt/format.h>

#include "cli/open_images.h"
#include "eqm/base/error.h"
#include "eqm/codec/states.h"
#include "eqm/data/evenly.h"
#include "eqm/data/missing_part.h"
#include "eqm/data/pick_source.h"
#include "eqm/landscape/labels.h"

namespace eqm::cli {

SourcePtr pictures_for(const Judge& judge, const std::string& data, Split split, int64_t count) {
  const Shape shape = judge.model().backbone->state_shape();
  const SourcePtr all = open_images(data, {.split = split, .channels = shape[0], .size = shape[1]});
  return pick_source(all, evenly_spaced(all->size(), count));
}

void require_fitting(const Judge& judge, const Model& model) {
  if (model.backbone->state_shape() == judge.model().backbone->state_shape()) return;
  throw Error(ErrorKind::input, "the judge looks at pictures of another size than the model's",
              "train a judge on the data that the model was trained on");
}

QualityMeter::QualityMeter(Judge judge, const std::string& data, int64_t count)
    : judge_(std::move(judge)), data_(data) {
  reference_ = moments_of(judge_, *pictures_for(judge_, data, Split::train, count));
}

std::optional<double> QualityMeter::floor(int64_t count) const {
  try {
    const SourcePtr unseen = pictures_for(judge_, data_, Split::test, count);
    return frechet_distance(moments_of(judge_, *unseen), reference_);
  } catch (const MissingPart&) {
    return std::nullopt;
  }
}

Quality QualityMeter::of(const Tensor& states, const Scaling& scaling, const Tensor& labels) const {
  const Judge::Opinion opinion = judge_.of(bytes_of(states, scaling));
  Moments moments;
  moments.add(opinion.features);
  Quality quality = {.distance = frechet_distance(moments, reference_)};
  if (labels.defined()) {
    quality.accuracy = (opinion.labels == labels).to(torch::kFloat64).mean().item<double>();
  }
  return quality;
}

std::optional<Quality> QualityMeter::of(
    const LearnedField& field, const DescentOptions& descent, const Contest& contest,
    const std::function<bool(const EngineCounts&)>& go_on) const {
  const Model& model = field.model();
  require_fitting(judge_, model);
  bool whole = true;
  SamplingRequest request = {.labels = labels_in_turn(model, contest.samples),
                             .count = contest.samples,
                             .guidance = contest.guidance,
                             .seed = contest.seed,
                             .descent = descent};
  request.go_on = [&](const EngineCounts& counts) {
    whole = whole && (!go_on || go_on(counts));
    return whole;
  };
  const auto start = std::chrono::steady_clock::now();
  const DescentResult drawn = sample(field, request);
  if (!whole) return std::nullopt;
  Quality quality = of(drawn.x, model.scaling, request.labels);
  quality.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const SampleRecord& record : drawn.samples) {
    quality.evaluations += static_cast<double>(record.evaluations);
    quality.diverged += record.status == DescentStatus::diverged ? 1 : 0;
  }
  quality.evaluations /= static_cast<double>(contest.samples);
  return quality;
}

}  // namespace eqm::cli
