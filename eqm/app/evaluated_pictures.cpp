#include "eqm/app/evaluated_pictures.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "eqm/app/cut_short.h"
#include "eqm/app/open_images.h"
#include "eqm/app/quality.h"
#include "eqm/app/sampling_progress.h"
#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/codec/states.h"
#include "eqm/data/layout.h"
#include "eqm/data/made_images.h"
#include "eqm/data/memory_source.h"
#include "eqm/data/missing_part.h"
#include "eqm/descend/sampling.h"
#include "eqm/landscape/labels.h"

namespace eqm::app {

void require_evaluable(const EvaluateOptions& options, const LearnedField& field,
                       const Codec& codec, const FeatureNet& network) {
  require_fitting(network, field.model(), codec);
  const Shape shape = field.model().backbone->state_shape();
  options.descent.validate(field.model().objective);  // refuses before anything is drawn
  require_labels(options.labels, options.guidance, field);
  const auto bytes = 2 * c10::multiply_integers(codec.picture_shape(shape));  // as tensor, as list
  const auto numbers = static_cast<double>(c10::multiply_integers(shape));
  require_memory(
      static_cast<double>(options.samples) *
          (numbers * (sizeof(double) + sizeof(float)) + static_cast<double>(bytes)),
      "lower {samples}, or draw the samples into an .npz first and give it as {pictures}");
}

DrawnPictures drawn_pictures(const EvaluateOptions& options, const LearnedField& field,
                             const Codec& codec, Host& host) {
  const Model& model = field.model();
  const int64_t count = options.samples;
  SamplingSpec request = {.labels = labels_in_turn(model, options.labels, count),
                          .count = count,
                          .guidance = options.guidance,
                          .seed = static_cast<uint64_t>(options.seed),
                          .descent = options.descent};
  std::optional<StartImages> images;
  if (options.start.gamma > 0) {
    images = images_to_start_from(options.start, options.comparison.reference, count, model, codec,
                                  host);
    start_from(*images, options.start.gamma, model, options.labels, request);
  }
  SamplingProgress progress(host.progress(), "sampling", count,
                            options.descent.resolve(model.objective));
  request.go_on = [&](const EngineCounts& counts) {
    progress.update(counts);
    return !host.stop_requested();
  };
  const DescentResult result = sample(field, request);
  progress.end();
  if (host.stop_requested()) return {};
  const auto ended = [&](DescentStatus status) {
    return std::ranges::count(result.samples, status,
                              [](const SampleRecord& record) { return record.status; });
  };
  warn_of_cut_short(options.descent, model.objective, ended(DescentStatus::limit), count,
                    *host.log());
  const auto lost = ended(DescentStatus::diverged);
  if (lost == count) {
    throw Error(ErrorKind::numeric, "every sample diverged",
                "take smaller steps ({eta}, {limit}); are the model's weights sound?");
  }
  if (lost > 0) {
    host.log()->warn("{} of {} samples diverged and are evaluated as they were before", lost,
                     count);
  }
  const Tensor bytes = bytes_of(result.x, codec).contiguous();
  std::vector<Example> examples;
  const auto size = static_cast<size_t>(bytes[0].numel());
  for (int64_t i = 0; i < count; ++i) {
    const auto* first = reinterpret_cast<const std::byte*>(bytes[i].data_ptr<uint8_t>());
    examples.push_back(
        {.dtype = Dtype::u8,
         .shape = bytes[i].sizes().vec(),
         .bytes = {first, first + size},
         .label = request.labels.defined() ? request.labels[i].item<int64_t>() : kNoLabel});
  }
  double evaluations = 0;
  for (const SampleRecord& record : result.samples) {
    evaluations += static_cast<double>(record.evaluations);
  }
  return {.pictures = memory_source(
              std::move(examples),
              request.labels.defined() ? model.class_names : std::vector<std::string>(), "sample"),
          .mean_evaluations = evaluations / static_cast<double>(count)};
}

SourcePtr given_pictures(const EvaluateOptions& options, const FeatureNet& network, Host& host) {
  const std::string& what = options.pictures;
  const auto part = [&](Split split) {
    return pictures_for(network, options.comparison, what, split, options.samples,
                        colour_warning(what, "the classifier's pictures", host.log()));
  };
  const auto open = [&] {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(what, ignored)) {  // this one, whatever is beside it
      return part(Split::train);
    }
    try {
      return part(Split::test);
    } catch (const MissingPart&) {
      return part(Split::train);
    }
  };
  SourcePtr pictures = open();
  const std::string& reference = options.comparison.reference;
  const bool by_default = reference == ComparisonOptions().reference;
  host.log()->info("comparing {} with {}{}", what, reference,
                   by_default ? ", the default: {reference} names other real pictures" : "");
  if (pictures->size() < 2) {
    throw Error(ErrorKind::input, fmt::format("'{}' has one picture only", what),
                "a set has two pictures or more");
  }
  return pictures;
}

std::vector<std::pair<std::string, SourcePtr>> ends_of_the_scale(const EvaluateOptions& options,
                                                                 const Source& samples,
                                                                 const FeatureNet& network,
                                                                 Host& host) {
  const std::string& reference = options.comparison.reference;
  std::vector<std::pair<std::string, SourcePtr>> ends;
  if (const SourcePtr unseen = unseen_pictures(network, options.comparison, samples.size())) {
    ends.emplace_back("real", unseen);
    if (unseen->size() < samples.size()) {
      host.log()->warn(
          "{} has {} pictures in its test part, fewer than the {} samples: their distance is "
          "larger for that alone",
          reference, unseen->size(), samples.size());
    }
  } else {
    host.log()->warn("{} has no test part: no real pictures to compare with", reference);
  }
  const Shape shape = layout_of(samples).shape;
  ends.emplace_back("noise",
                    made_images(MadeImages::noise, samples.size(),
                                {.channels = shape[0], .height = shape[1], .width = shape[2]}));
  return ends;
}

}  // namespace eqm::app
