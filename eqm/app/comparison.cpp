#include "eqm/app/comparison.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/app/model_lookup.h"
#include "eqm/app/open_images.h"
#include "eqm/base/error.h"
#include "eqm/codec/options.h"
#include "eqm/data/class_folders.h"
#include "eqm/data/missing_part.h"
#include "eqm/data/pick_source.h"
#include "eqm/io/file_kind.h"
#include "eqm/io/safetensors.h"
#include "eqm/io/text.h"
#include "eqm/measure/classifier_features.h"
#include "eqm/measure/inception_features.h"

namespace eqm::app {
namespace {

bool is_file(const std::string& what) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(what, ignored);
}

// Models of eqm are safetensors, too, but with names of their own.
bool may_be_inception(const std::filesystem::path& path) {
  return kind_of_file(path) != FileKind::safetensors ||
         SafetensorsFile::open(path).contains(Inception::weight_shapes().begin()->first);
}

}  // namespace

void ComparisonOptions::declare(OptionSet& options) {
  options.text("features", features,
               "feature extractor: a classifier of the same data, or Inception's weights");
  options.choice("convention", convention, inception_convention_names(),
                 "how pictures are preprocessed for Inception");
  options.text(
      "reference", reference,
      "reference to compare with: a data set, a folder, a tar, an .npz of pictures or statistics");
  options.count("reference-count", reference_count, Range::between(2, 1e9),
                "maximum number of reference pictures, a fixed random subset");
}

void ComparisonOptions::declare_with_size(OptionSet& options) {
  declare(options);
  options.count("size", size, Range::between(0, 8192),
                "Inception: crops pictures to this size; 0 keeps their size");
}

FeatureNetPtr load_features(const ComparisonOptions& options, const torch::TensorOptions& type) {
  if (options.features.empty()) {
    throw Error(ErrorKind::usage, "no feature extractor was given", "give one by {features}");
  }
  const std::filesystem::path path = model_file(options.features);
  if (!may_be_inception(path)) return std::make_shared<ClassifierFeatures>(load_for(path, type));
  return std::make_shared<InceptionFeatures>(Inception::load(path, type), options.convention);
}

SourcePtr pictures_for(const FeatureNet& network, const ComparisonOptions& options,
                       const std::string& set, Split split, int64_t count,
                       const ColourNotice& notice) {
  const Shape shape = network.picture_shape().value_or(Shape{3, options.size, options.size});
  const SourcePtr all = open_images(set, {.split = split,
                                          .channels = shape[0],
                                          .size = shape[1],
                                          .notice = network.picture_shape() ? notice : nullptr});
  // Not evenly spaced: pictures whose labels come in turn may be in step with that.
  return pick_source(all, choose_examples(all->size(), count).chosen);
}

ReferenceData open_reference(const FeatureNet& network, const ComparisonOptions& options,
                             Host& host) {
  const std::string& what = options.reference;
  ReferenceData data;
  if (is_file(what) && holds_statistics(what)) {
    data.statistics = read_statistics(what);
    require_same_network(*data.statistics, what, network.identity(), network.feature_count());
    if (data.statistics->network.empty()) {
      host.log()->info(
          "{} does not say whose features its statistics are of: taken for those of "
          "{{features}}, in the convention chosen",
          in_quotes(what));
    }
    if (!data.statistics->has_pictures) return data;
  }
  data.pictures = pictures_for(network, options, what, Split::train, options.reference_count,
                               colour_warning(what, "the classifier's pictures", host.log()));
  const std::vector<std::string>& known = network.class_names();
  const std::vector<std::string>& own = data.pictures->class_names();
  const std::vector<int64_t> matches = match_classes(*data.pictures, known);
  if (!known.empty() && std::ranges::find(matches, -1) != matches.end()) {
    host.log()->warn(
        "the classifier of {{features}} knows other classes ({}, ...) than {} has ({}, ...): its "
        "features may say little about such pictures",
        known.front(), what, own.front());
  }
  return data;
}

SourcePtr unseen_pictures(const FeatureNet& network, const ComparisonOptions& options,
                          int64_t count) {
  if (is_file(options.reference) && holds_statistics(options.reference)) return nullptr;
  try {
    return pictures_for(network, options, options.reference, Split::test, count);
  } catch (const MissingPart&) {
    return nullptr;
  }
}

void warn_of_few(const std::string& what, int64_t pictures, int64_t features, Host& host) {
  if (pictures > features) return;
  host.log()->warn(
      "{}: {} pictures are no more than the {} features: their covariance is singular, and the "
      "Fréchet distance depends more on their number than on their contents",
      what, pictures, features);
}

void require_fitting(const FeatureNet& network, const Model& model, const Codec& codec) {
  const Shape made = codec.picture_shape(model.backbone->state_shape());
  const std::optional<Shape> wanted = network.picture_shape();
  if (wanted && made != *wanted) {
    throw Error(
        ErrorKind::input,
        fmt::format("the classifier of {{features}} takes pictures of {}, and the model makes {}",
                    fmt::join(*wanted, "x"), fmt::join(made, "x")),
        "train one on the model's data ({model} convnet, {objective} classifier), and give it by "
        "{features}");
  }
  if (!wanted && (made.size() != 3 || (made[0] != 1 && made[0] != 3))) {
    throw Error(ErrorKind::input, "Inception takes pictures, and the model makes none",
                makes_latents(model) ? where_autoencoders_come_from() : "give a model of pictures");
  }
}

}  // namespace eqm::app
