#include "eqm/app/denoise.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/app/cut_short.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/sampling_progress.h"
#include "eqm/app/start_images.h"
#include "eqm/app/unused_options.h"
#include "eqm/base/error.h"
#include "eqm/base/version.h"
#include "eqm/descend/denoise.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/output_folder.h"
#include "eqm/landscape/labels.h"

namespace eqm::app {
namespace {

void require_guidable(const DenoiseOptions& options, const Model& model,
                      const std::vector<int64_t>& labels) {
  if (!options.guidance.guides()) return;
  const auto is_class = [](int64_t label) { return label != kNullClass; };
  if (model.backbone->null_label() >= 0 && std::ranges::any_of(labels, is_class)) return;
  throw Error(ErrorKind::usage, "guidance needs labels and a model trained with label dropout",
              "name a class by {label}, or leave {guidance} at 1");
}

std::vector<DenoisedImage> images_of(const DenoiseOptions& options, const StartImages& given) {
  std::vector<DenoisedImage> images;
  for (int64_t i = 0; i < given.size(); ++i) {
    DenoisedImage& image = images.emplace_back();
    image.number = i;
    image.source = given.sources[static_cast<size_t>(i)];
    image.clean = state_of(given.states, i);
    image.start = noised(image.clean, options.gamma, static_cast<uint64_t>(options.seed), i);
  }
  return images;
}

// The label of each image: its own, or the one that was chosen for all. Empty for models without
// classes, and for images whose classes the model does not know.
std::vector<int64_t> labels_for(const DenoiseOptions& options, const StartImages& given,
                                const Model& model, Host& host) {
  const bool has_classes = model.backbone->num_classes() > 0;
  if (options.label != "own") {
    const int64_t label = label_of(model, options.label);
    if (!has_classes) return {};
    return std::vector<int64_t>(static_cast<size_t>(given.size()), label);
  }
  if (!has_classes) return {};
  if (given.labelled) return given.labels;
  host.log()->warn("the classes of {} are not the model's: denoising without labels", options.data);
  return {};
}

SamplingPlan plan_of_images(const DenoiseOptions& options, const Model& model, const Codec& codec,
                            const StartImages& given, std::vector<int64_t> labels) {
  if (options.files.class_folders && labels.empty()) {
    throw Error(ErrorKind::usage, "there are no classes to make folders for",
                "class folders need images of the model's classes");
  }
  return {.model = model,
          .codec = codec,
          .layout = {.rows = 1, .count = given.size()},
          .sample_labels = std::move(labels),
          .sample_starts = given.sources,
          .pictures = last_stage_of(options.gamma < 1)};
}

// Leaves those that are done. Whether it was stopped.
bool descend_images(const LearnedField& field, const DenoiseOptions& options,
                    const SamplingPlan& plan, std::vector<DenoisedImage>& images,
                    SampleOutput& output, Host& host) {
  host.begin_stoppable_work();
  SamplingSpec job = {.count = static_cast<int64_t>(images.size()),
                      .seed = static_cast<uint64_t>(options.seed),
                      .descent = options.descent,
                      .delivery = Delivery::consumer_thread};
  job.start = [&](int64_t i) { return images[static_cast<size_t>(i)].start; };
  job.terms = [&](int64_t i) {
    const std::vector<int64_t>& labels = plan.sample_labels;
    return labels.empty() ? Terms() : options.guidance.terms_of(labels[static_cast<size_t>(i)]);
  };
  job.watch = [&](int64_t i, const Sight& sight) { output.watch(i, sight); };
  job.done = [&](int64_t i, const Outcome& outcome) {
    images[static_cast<size_t>(i)].end = outcome.x;
    images[static_cast<size_t>(i)].record = outcome.record;
    output.add(i, outcome);
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
  const bool whole = std::ssize(images) == job.count;
  if (whole || !host.stop_requested()) return false;
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
  options.text("data", data, "images: a named data set or a path");
  options.count("count", count, Range::between(1, 1e6), "number of images, chosen at random");
  options.number("gamma", gamma, Range::between(0, 1),
                 "fraction of an image kept when it is noised; 1 takes images as they are");
  options.text("label", label,
               "class to condition on: own for each image's own, null for none, or a class");
  guidance.declare(options);
  options.count("seed", seed, Range::between(0, 9e15), "seed of the noise");
  options.section("descent");
  descent.declare(options);
  options.section("output");
  options.text("out", out, "folder for the pictures and the table");
  files.declare(options);
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
  warn_of_taken_for_noise(model.objective, *host.log());
  const Codec codec = options.codec.codec_of(model, type);
  const LearnedField field(model);
  options.descent.validate(model.objective);
  warn_of_unused(options.descent, model.objective, *host.log());
  options.files.validate();
  const StartImages given =
      read_start_images({.data = options.data, .count = options.count}, model, codec, host);
  const SamplingPlan plan =
      plan_of_images(options, model, codec, given, labels_for(options, given, model, host));
  require_guidable(options, model, plan.sample_labels);
  std::vector<DenoisedImage> images = images_of(options, given);
  const PngText origin = {{"Software", software_name()},
                          {"Model", model_name},
                          {"Data", options.data},
                          {"Gamma", fmt::format("{}", options.gamma)},
                          {"Guidance", options.guidance.described()},
                          {"Rule", options.descent.resolve(model.objective).described()}};
  const OutputFolder folder(options.out);
  SampleOutput output(options.out, plan, origin, options.files);
  DenoiseResult result;
  result.asked = static_cast<int64_t>(images.size());
  result.stopped = descend_images(field, options, plan, images, output, host);
  result.done = static_cast<int64_t>(images.size());
  if (images.empty()) return result;
  warn_of_cut_short(
      options.descent, model.objective,
      std::ranges::count(images, DescentStatus::limit,
                         [](const DenoisedImage& image) { return image.record.status; }),
      result.asked, *host.log());

  const bool noised = options.gamma < 1;  // as they are, there is nothing to compare with
  const bool known = noised && !makes_latents(model);
  add_means(images, model, known, result);
  result.files = write_denoised(
      options.out, images, model, codec,
      {.noised = noised, .psnr = known, .pictures = options.files.pictures, .origin = origin});
  for (const std::string& name : output.finish()) result.files.push_back(name);
  result.npz_images = output.npz_samples();
  if (noised && !known) {
    host.log()->info("no PSNR: distances between latents say little about pictures");
  }
  host.log()->info("wrote {} to {}", fmt::join(result.files, ", "), options.out);
  if (result.npz_images > 0) {
    host.log()->info("wrote {} images to {}", result.npz_images, options.files.npz);
  }
  return result;
}

std::string text_of(const DenoiseResult& result) {
  std::string text;
  if (result.done > 0) {
    text += fmt::format("{:<18} {}\n{:<18} {:.1f}\n", "images", result.done, "mean steps",
                        result.mean_steps);
  }
  if (result.psnr) {
    text += fmt::format("{:<18} {:.2f} dB noised, {:.2f} dB denoised\n", "PSNR",
                        result.psnr->before, result.psnr->after);
  }
  return text;
}

}  // namespace eqm::app
