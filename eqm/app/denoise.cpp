#include "eqm/app/denoise.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/app/model_lookup.h"
#include "eqm/app/open_images.h"
#include "eqm/app/sampling_progress.h"
#include "eqm/app/unused_options.h"
#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/base/version.h"
#include "eqm/codec/states.h"
#include "eqm/data/batch.h"
#include "eqm/data/pick_source.h"
#include "eqm/descend/denoise.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/output_folder.h"
#include "eqm/io/text.h"
#include "eqm/landscape/labels.h"

namespace eqm::app {
namespace {

constexpr double kDenoiseStates = 5;  // of an image at once: clean, noised, denoised and on the way

void require_blind(const Objective& objective) {
  // Integrators and conditioned models begin at pure noise, and would take the image for it.
  if (!sees_time(objective.kind) && !is_flow(objective.kind)) return;
  throw Error(ErrorKind::usage,
              fmt::format("a model of {} has to be told how noisy an image is, and denoise "
                          "tells nothing",
                          name_of(objective.kind)),
              "give a model of eqm, eqm-dot or eqm-l2");
}

SourcePtr open_noisy(const DenoiseOptions& options, const Model& model, const Codec& codec,
                     Host& host) {
  const Shape shape = codec.picture_shape(model.backbone->state_shape());
  if (shape.size() != 3) {
    throw Error(ErrorKind::usage, "only models of images can denoise them",
                "give a model that was trained on images");
  }
  if (shape[0] != 1 && shape[0] != 3) return open_unseen(options.data, {});  // tensors, as they are
  return open_unseen(options.data,
                     {.channels = shape[0],
                      .size = shape[1],
                      .latents = codec.has_autoencoder(),
                      .notice = colour_warning(options.data, "the model's pictures", host.log())});
}

std::vector<DenoisedImage> read_noisy(const DenoiseOptions& options, const Model& model,
                                      const Codec& codec, Host& host) {
  const SourcePtr all = open_noisy(options, model, codec, host);
  const int64_t count = std::min(options.count, all->size());
  require_memory(
      kDenoiseStates *
          static_cast<double>(count * c10::multiply_integers(model.backbone->state_shape())) *
          sizeof(double),
      "lower {count}");
  const SourcePtr source = pick_source(all, choose_examples(all->size(), count).chosen);
  const bool own = options.label == "own", known = all->class_names() == model.class_names;
  if (own && !known && model.backbone->num_classes() > 0) {
    host.log()->warn("the classes of {} are not the model's: denoising without labels",
                     options.data);
  }
  const auto terms_for = [&](int64_t label) {
    if (!own) return only(label_of(model, options.label));
    return known && label >= 0 ? only(label) : Terms();
  };
  const Batch batch = read_batch(*source, 0, source->size());
  const Tensor states = states_of(batch, codec, torch::kFloat64);
  if (Shape(states.sizes().begin() + 1, states.sizes().end()) != model.backbone->state_shape()) {
    throw Error(ErrorKind::input,
                fmt::format("the images have shape {}, and the model takes {}",
                            fmt::join(states.sizes().slice(1).vec(), "x"),
                            fmt::join(model.backbone->state_shape(), "x")),
                "give images of the kind it was trained on");
  }
  std::vector<DenoisedImage> images;
  for (int64_t i = 0; i < states.size(0); ++i) {
    DenoisedImage& image = images.emplace_back();
    image.number = i;
    const std::string from = source->name_of(i);
    image.source = is_utf8(from) ? from : in_quotes(from);  // as a picture's text must be
    image.clean = state_of(states, i);
    image.start = noised(image.clean, options.gamma, static_cast<uint64_t>(options.seed), i);
    image.terms = terms_for(batch.labels[static_cast<size_t>(i)]);
  }
  return images;
}

// Leaves those that are done. Whether it was stopped.
bool descend_images(const LearnedField& field, const DenoiseOptions& options,
                    std::vector<DenoisedImage>& images, Host& host) {
  host.begin_stoppable_work();
  SamplingSpec job = {.count = static_cast<int64_t>(images.size()),
                      .seed = static_cast<uint64_t>(options.seed),
                      .descent = options.descent,
                      .in_order = false};
  job.start = [&](int64_t i) { return images[static_cast<size_t>(i)].start; };
  job.terms = [&](int64_t i) { return images[static_cast<size_t>(i)].terms; };
  job.done = [&](int64_t i, Outcome outcome) {
    images[static_cast<size_t>(i)].end = std::move(outcome.x);
    images[static_cast<size_t>(i)].record = outcome.record;
  };
  SamplingProgress progress(host.progress(), "denoising", job.count,
                            options.descent.resolve(field.model().objective));
  job.go_on = [&](const EngineCounts& counts) {
    progress.update(counts);
    return !host.stop_requested();
  };
  run_sampling(field, job);
  progress.end();
  std::erase_if(images, [](const DenoisedImage& image) {
    return image.end.size() == 0 || !is_finished(image.record.status);
  });
  if (!host.stop_requested()) return false;
  if (images.empty()) {
    host.log()->warn("interrupted: none of {} images is done, so nothing is written to {}",
                     job.count, options.out);
  } else {
    host.log()->warn("interrupted: {} of {} images are done and written; the others are not",
                     images.size(), job.count);
  }
  return true;
}

void add_means(const std::vector<DenoisedImage>& images, const Model& model, bool with_psnr,
               DenoiseResult& result) {
  const auto count = static_cast<double>(images.size());
  if (with_psnr) result.psnr.emplace();
  for (const DenoisedImage& image : images) {
    result.mean_steps += static_cast<double>(image.record.steps) / count;
    if (!with_psnr) continue;
    const DenoisePsnr psnr = psnr_of(image, model);
    result.psnr->before += psnr.before / count;
    result.psnr->after += psnr.after / count;
  }
}

}  // namespace

void DenoiseOptions::declare(OptionSet& options) {
  options.text("model", model, kModelHelp);
  options.text("data", data, "images: a named set or a path, as for eqm train");
  options.count("count", count, Range::between(1, 1e6), "how many of them, chosen at random");
  options.number("gamma", gamma, Range::between(0, 1),
                 "how much of an image is left when it is noised; 1 for images as they are");
  options.text("label", label, "own for each image's class, null for none, or a class");
  options.count("seed", seed, Range::between(0, 9e15), "of the noise");
  options.section("descent");
  descent.declare(options);
  options.section("output");
  options.text("out", out, "folder for the pictures and the table");
  options.flag("pictures", pictures, "writes every image as a picture of its own");
  codec.declare(options);
  runtime.declare(options);
}

DenoiseResult run(const DenoiseOptions& options, Host& host) {
  const Runtime runtime = make_runtime(options.runtime);
  const RuntimeScope scope(runtime);
  const torch::TensorOptions type = runtime.tensors();
  if (options.data.empty()) {
    throw Error(ErrorKind::usage, "no images were given", "give them by {data}");
  }
  const std::string model_name = given_or_shipped_model(options.model, *host.log());
  const Model model = load_for(model_name, type);
  require_blind(model.objective);
  const Codec codec = options.codec.codec_of(model, type);
  const LearnedField field(model);
  options.descent.validate(model.objective);
  warn_of_unused(options.descent, model.objective, *host.log());
  std::vector<DenoisedImage> images = read_noisy(options, model, codec, host);
  const OutputFolder folder(options.out);
  DenoiseResult result;
  result.asked = static_cast<int64_t>(images.size());
  result.stopped = descend_images(field, options, images, host);
  result.done = static_cast<int64_t>(images.size());
  if (images.empty()) return result;

  const bool noised = options.gamma < 1;  // as they are, there is nothing to compare with
  const bool known = noised && !makes_latents(model);
  add_means(images, model, known, result);
  result.files =
      write_denoised(options.out, images, model, codec,
                     {.noised = noised,
                      .psnr = known,
                      .pictures = options.pictures,
                      .origin = {{"Software", software_name()},
                                 {"Model", model_name},
                                 {"Data", options.data},
                                 {"Gamma", fmt::format("{}", options.gamma)},
                                 {"Rule", options.descent.resolve(model.objective).described()}}});
  if (noised && !known) {
    host.log()->info("no PSNR: distances between latents tell little of pictures");
  }
  host.log()->info("wrote denoise.png, denoise.csv{} to {}",
                   options.pictures ? " and a folder of pictures for each stage" : "", options.out);
  return result;
}

}  // namespace eqm::app
