#include "eqm/app/start_images.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/app/open_images.h"
#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/base/utf8.h"
#include "eqm/codec/states.h"
#include "eqm/data/batch.h"
#include "eqm/data/pick_source.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/text.h"

namespace eqm::app {
namespace {

SourcePtr open_start_source(const std::string& data, const Model& model, const Codec& codec,
                            Host& host) {
  const Shape shape = picture_shape_of(model, codec);
  if (!takes_pixels(shape)) return open_unseen(data, {});  // tensors, as they are
  return open_unseen(data, {.channels = shape[0],
                            .size = shape[1],
                            .latents = codec.has_autoencoder(),
                            .notice = colour_warning(data, "the model's pictures", host.log())});
}

std::vector<int64_t> chosen_numbers(const ImagesWanted& wanted, int64_t size) {
  if (wanted.numbers.empty()) return choose_examples(size, std::min(wanted.count, size)).chosen;
  for (const int64_t number : wanted.numbers) {
    if (number >= 0 && number < size) continue;
    throw Error(ErrorKind::usage,
                fmt::format("{} has no image number {}", in_quotes(wanted.data), number),
                fmt::format("give numbers from 0 to {}", size - 1));
  }
  return wanted.numbers;
}

}  // namespace

Shape picture_shape_of(const Model& model, const Codec& codec) {
  const Shape shape = codec.picture_shape(model.backbone->state_shape());
  if (shape.size() == 3) return shape;
  throw Error(ErrorKind::usage, "the model's states are not images",
              "give a model that was trained on images");
}

bool takes_pixels(const Shape& picture) {
  return picture[0] == 1 || picture[0] == 3;
}

Tensor states_for(const Batch& batch, const Model& model, const Codec& codec) {
  Tensor states = states_of(batch, codec, torch::kFloat64);
  const Shape shape = model.backbone->state_shape();
  if (Shape(states.sizes().begin() + 1, states.sizes().end()) == shape) return states;
  throw Error(ErrorKind::input,
              fmt::format("the images have shape {}, and the model takes {}",
                          fmt::join(states.sizes().slice(1).vec(), "x"), fmt::join(shape, "x")),
              "give images of the kind it was trained on");
}

void declare_gamma(OptionSet& options, double& gamma) {
  options.number("gamma", gamma, Range::between(0, 1),
                 "share of an image that samples start from; 0 for pure noise");
}

void StartOptions::declare(OptionSet& options) {
  declare_gamma(options, gamma);
  options.text("data", data,
               "with {gamma}: the images, of which the test part is taken; empty for {reference}");
}

StartImages read_start_images(const ImagesWanted& wanted, const Model& model, const Codec& codec,
                              Host& host) {
  const SourcePtr all = open_start_source(wanted.data, model, codec, host);
  const std::vector<int64_t> numbers = chosen_numbers(wanted, all->size());
  const auto elements = static_cast<double>(c10::multiply_integers(model.backbone->state_shape()));
  require_memory(
      wanted.states_each * static_cast<double>(numbers.size()) * elements * sizeof(double),
      wanted.remedy);
  const SourcePtr source = pick_source(all, numbers);
  const Batch batch = read_batch(*source, 0, source->size());
  StartImages images = {.states = states_for(batch, model, codec),
                        .labels = batch.labels,
                        .labelled = all->class_names() == model.class_names};
  for (int64_t& label : images.labels) {
    if (!images.labelled || label < 0) label = kNullClass;
  }
  for (int64_t i = 0; i < source->size(); ++i) {
    const std::string from = source->name_of(i);
    images.sources.push_back(is_utf8(from) ? from : in_quotes(from));
  }
  return images;
}

StartImages images_to_start_from(const StartOptions& options, const std::string& reference,
                                 int64_t samples, const Model& model, const Codec& codec,
                                 Host& host) {
  const std::string& data = options.data.empty() ? reference : options.data;
  warn_of_taken_for_noise(model.objective, *host.log());
  StartImages images = read_start_images(
      {.data = data, .count = samples, .remedy = "lower {samples}"}, model, codec, host);
  if (!images.labelled && model.backbone->num_classes() > 0) {
    host.log()->warn("the classes of {} are not the model's: samples have no labels", data);
  }
  if (images.size() < samples) {
    host.log()->info("{} has {} images for {} samples: they are used in turn, with other noise",
                     data, images.size(), samples);
  }
  return images;
}

void start_from(const StartImages& images, double gamma, const Model& model,
                const std::string& chosen, SamplingSpec& spec) {
  if (gamma == 0) return;
  const StateSpace space = states_of_model(model);
  spec.start = [&images, gamma, space, seed = spec.seed,
                first = spec.first_sample](int64_t sample) {
    const State noise = starting_noise(space, seed, first + sample);
    return State(gamma * state_of(images.states, sample % images.size()) + (1 - gamma) * noise);
  };
  if (!chosen.empty()) return;
  if (!images.labelled || model.backbone->num_classes() == 0) {
    spec.labels = Tensor();
    return;
  }
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < spec.count; ++i) {
    labels.push_back(images.labels[static_cast<size_t>(i % images.size())]);
  }
  spec.labels = torch::tensor(labels, torch::kInt64);
}

void warn_of_taken_for_noise(const Objective& objective, Logger& log) {
  if (!sees_time(objective.kind) && !is_flow(objective.kind)) return;
  log.warn("a model of {} takes whatever it starts from for pure noise: noised images, too",
           name_of(objective.kind));
}

}  // namespace eqm::app
