#include "eqm/app/score_sets.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/app/open_images.h"
#include "eqm/base/error.h"
#include "eqm/data/jpeg_recoding.h"
#include "eqm/data/layout.h"
#include "eqm/data/made_images.h"
#include "eqm/data/pick_source.h"
#include "eqm/io/text.h"

namespace eqm::app {
namespace {

// Whether states are made of pictures, and not of latents or points as they are.
bool knows_pixels(const Model& model, const Codec& codec) {
  return (codec.has_autoencoder() || model.scaling == Scaling::pixels()) &&
         model.backbone->state_shape().size() == 3;
}

ScoreSet made_set(MadeImages kind, const std::string& name, const Model& model, const Codec& codec,
                  const ScoreSetOptions& options) {
  if (!knows_pixels(model, codec)) {
    throw Error(ErrorKind::usage,
                fmt::format("'{}' is made of images, and the model knows none", name),
                "compare with data of the kind that the model was trained on");
  }
  const Shape shape = codec.picture_shape(model.backbone->state_shape());
  // Those kept aside follow those that are scored.
  const int64_t count = options.count, all = options.keep_reference ? 2 * count : count;
  const SourcePtr source =
      made_images(kind, all, {.channels = shape[0], .height = shape[1], .width = shape[2]});
  std::vector<int64_t> indices(static_cast<size_t>(all));
  std::iota(indices.begin(), indices.end(), 0);
  ScoreSet set;
  set.name = name;
  if (options.keep_reference) {
    set.reference = pick_source(source, {indices.begin() + count, indices.end()});
  }
  indices.resize(static_cast<size_t>(count));
  set.source = pick_source(source, indices);
  set.indices = std::move(indices);
  return set;
}

// How images become as the model knows them.
SourceOptions fitting(const Model& model, const Codec& codec) {
  SourceOptions how;
  if (!knows_pixels(model, codec)) return how;
  const Shape shape = codec.picture_shape(model.backbone->state_shape());
  if (shape[0] == 1 || shape[0] == 3) how.channels = shape[0];
  if (shape[1] == shape[2]) how.size = shape[1];
  how.latents = codec.has_autoencoder();
  return how;
}

SourcePtr open_fitting(const std::string& name, const Model& model, const Codec& codec,
                       const ScoreSetOptions& options) {
  SourceOptions how = fitting(model, codec);
  how.split = options.split;
  how.notice = colour_warning(name, "the model's pictures", options.log);
  return options.split == Split::test ? open_unseen(name, how) : open_images(name, how);
}

// Names that mean nothing may have been meant for a set that is made here.
SourcePtr open_named(const std::string& name, const Model& model, const Codec& codec,
                     const ScoreSetOptions& options) {
  try {
    return open_fitting(name, model, codec, options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    throw Error(error.kind(), error.what(),
                fmt::format("{}; built in are {}", error.hint(),
                            fmt::join(all_names(made_image_names()), ", ")));
  }
}

void require_shape(const Source& source, const std::string& name, const Model& model,
                   const Codec& codec) {
  const Layout layout = layout_of(source);
  const Shape states = model.backbone->state_shape(), shape = codec.picture_shape(states);
  const bool pixels = layout.dtype == Dtype::u8;
  const bool encoded = codec.has_autoencoder() && !pixels && layout.state_shape() == states;
  const bool fits = layout.state_shape() == shape && pixels == knows_pixels(model, codec);
  if (encoded || fits) return;
  throw Error(ErrorKind::input,
              fmt::format("{} holds {}, and the model's states are {} [{}]", in_quotes(name),
                          describe(layout), knows_pixels(model, codec) ? "pixels" : "numbers",
                          fmt::join(shape, ", ")),
              "give data of the kind that the model was trained on");
}

ScoreSet chosen_of(const SourcePtr& whole, const std::string& name,
                   const ScoreSetOptions& options) {
  const int64_t size = whole->size();
  const int64_t kept = options.keep_reference ? std::min(options.count, size / 2) : 0;
  const Choice choice = choose_examples(size, std::min(options.count, size - kept));
  ScoreSet set = {
      .name = name, .source = pick_source(whole, choice.chosen), .indices = choice.chosen};
  if (kept == 0) return set;
  std::vector<int64_t> others;
  const auto left = static_cast<int64_t>(choice.rest.size());
  for (const int64_t place : choose_examples(left, kept).chosen) {
    others.push_back(choice.rest[static_cast<size_t>(place)]);
  }
  set.reference = pick_source(whole, std::move(others));
  return set;
}

SourcePtr recoded(SourcePtr source, const std::string& name, int64_t quality) {
  const Layout layout = layout_of(*source);
  if (layout.dtype != Dtype::u8 || layout.shape.size() != 3) {
    throw Error(
        ErrorKind::input,
        fmt::format("{} holds {}, which JPEG cannot hold", in_quotes(name), describe(layout)),
        "omit {jpeg}, or give pictures");
  }
  return jpeg_recoded(std::move(source), static_cast<int>(quality));
}

}  // namespace

ScoreSet open_score_set(const std::string& name, const Model& model, const Codec& codec,
                        const ScoreSetOptions& options) {
  ScoreSet set;
  if (const auto kind = find_named(made_image_names(), name)) {
    set = made_set(*kind, name, model, codec, options);
  } else {
    const SourcePtr whole = open_named(name, model, codec, options);
    require_shape(*whole, name, model, codec);
    set = chosen_of(whole, name, options);
  }
  if (options.jpeg > 0) set.source = recoded(std::move(set.source), name, options.jpeg);
  return set;
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names = comma_parts(list);
  std::erase(names, "");
  return names;
}

}  // namespace eqm::app
