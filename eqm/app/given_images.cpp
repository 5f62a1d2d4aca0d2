#include "eqm/app/given_images.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/app/start_images.h"
#include "eqm/base/error.h"
#include "eqm/data/batch.h"
#include "eqm/data/centre_crop.h"
#include "eqm/data/memory_source.h"
#include "eqm/data/pixels.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/text.h"
#include "eqm/landscape/labels.h"

namespace eqm::app {
namespace {

// What a picture's text may hold.
std::string shown_name(const std::string& name) {
  return is_utf8(name) ? name : in_quotes(name);
}

}  // namespace

void require_blind(const Objective& objective) {
  if (!sees_time(objective.kind) && !is_flow(objective.kind)) return;
  throw Error(ErrorKind::usage,
              fmt::format("a model of {} needs the noise level of an image, which is unknown here",
                          name_of(objective.kind)),
              "give a model of eqm, eqm-dot or eqm-l2");
}

std::vector<GivenImage> read_given_images(const GivenImagesOptions& options, const Model& model,
                                          const Codec& codec, Host& host) {
  const StartImages read = read_start_images({.data = options.data,
                                              .count = options.count,
                                              .numbers = options.numbers,
                                              .states_each = options.states_each},
                                             model, codec, host);
  const bool own = options.label == "own";
  if (own && !read.labelled && model.backbone->num_classes() > 0) {
    host.log()->warn("the classes of {} are not the model's: continuing without labels",
                     options.data);
  }
  const int64_t label = own ? kNullClass : label_of(model, options.label);
  std::vector<GivenImage> images;
  for (int64_t i = 0; i < read.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    images.push_back({.number = i,
                      .source = read.sources[at],
                      .label = own ? read.labels[at] : label,
                      .state = state_of(read.states, i)});
  }
  return images;
}

void require_guidable(const GuidanceOptions& guidance, const Model& model,
                      const std::vector<GivenImage>& images) {
  if (!guidance.guides()) return;
  const bool classes = model.backbone->num_classes() > 0 && model.backbone->null_label() >= 0;
  const bool labelled = std::ranges::any_of(
      images, [](const GivenImage& image) { return image.label != kNullClass; });
  if (classes && labelled) return;
  throw Error(ErrorKind::usage, "guidance needs labels and a model trained with label dropout",
              "name a class by {label}, or leave {guidance} at 1");
}

GivenImage read_given_picture(const std::string& path, const Model& model, const Codec& codec) {
  const Shape shape = picture_shape_of(model, codec);
  if (!takes_pixels(shape)) {
    throw Error(ErrorKind::usage, "the model's states are latents, and no picture becomes one",
                "give its autoencoder by {vae}");
  }
  const Image image = decode_image(MappedFile::open(path).bytes(), path);
  const SourcePtr source =
      memory_source({centre_crop(example_from_image(image, shape[0]), shape[1])}, {}, path);
  return {.number = 0,
          .source = shown_name(path),
          .label = kNullClass,
          .state = state_of(states_for(read_batch(*source, 0, 1), model, codec), 0)};
}

}  // namespace eqm::app
