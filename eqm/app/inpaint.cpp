#include "eqm/app/inpaint.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/app/fill_mask.h"
#include "eqm/app/given_images.h"
#include "eqm/app/inpaint_output.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/sampling_progress.h"
#include "eqm/app/unused_options.h"
#include "eqm/base/error.h"
#include "eqm/base/version.h"
#include "eqm/descend/held.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/output_folder.h"

namespace eqm::app {
namespace {

const Names<KnownPixels>& known_pixel_names() {
  static const Names<KnownPixels> names = {{"noised", KnownPixels::noised},
                                           {"clean", KnownPixels::clean}};
  return names;
}

void require_sound_inpainting(const InpaintOptions& options, const Model& model) {
  if (options.data.empty()) {
    throw Error(ErrorKind::usage, "no images were given", "give them by {data}");
  }
  if (!options.npz.empty() && !options.npz.ends_with(".npz")) {
    throw Error(ErrorKind::usage, fmt::format("'{}' does not end with .npz", options.npz),
                "name the file filled.npz, for instance");
  }
  require_blind(model.objective);
  options.descent.validate(model.objective);
  const bool compares = options.descent.resolve(model.objective).rule == RuleKind::backtracking;
  if (compares && options.known == KnownPixels::noised) {
    throw Error(ErrorKind::usage,
                "{rule} backtracking compares energies, which change as known pixels come down",
                "give {known} clean, or another {rule}");
  }
}

// What all fillings have in common.
struct Filling {
  const InpaintOptions& options;
  const LearnedField& field;
  const std::vector<GivenImage>& images;
  std::vector<bool> known;

  HeldPart part_of(const GivenImage& image) const {
    return {.values = image.state,
            .known = known,
            .magnitude = field.model().objective.effective_magnitude()};
  }

  Terms terms_of(const GivenImage& image) const { return options.guidance.terms_of(image.label); }
};

// Every sample has a rule that holds the values of its own image.
std::vector<FilledImage> fill_in(const Filling& about, Host& host) {
  const InpaintOptions& options = about.options;
  const Model& model = about.field.model();
  const StateSpace space = states_of_model(model);
  const DescentOptions resolved = options.descent.resolve(model.objective);
  const Descent plain = make_descent(options.descent, model.objective);
  const auto count = static_cast<int64_t>(about.images.size()) * options.fills;
  std::vector<FilledImage> filled(static_cast<size_t>(count));
  Engine engine(about.field, space.shape, space.type);
  SamplingProgress progress(host.progress(), "inpainting", count, resolved);
  int64_t next = 0;
  const auto supply = [&]() -> std::optional<Request> {
    if (next == count) return std::nullopt;
    const int64_t number = next++;
    const GivenImage& image = about.images[static_cast<size_t>(number / options.fills)];
    const HeldPart part = about.part_of(image);
    FilledImage& result = filled[static_cast<size_t>(number)];
    result.image = number / options.fills;
    result.fill = number % options.fills;
    State start = starting_noise(space, static_cast<uint64_t>(options.seed), number);
    if (options.known == KnownPixels::clean) start = with_known(start, part);
    Request request = {.start = std::move(start),
                       .terms = about.terms_of(image),
                       .rule = held(plain.rule, part),
                       .stop = plain.stop,
                       .noise = {.seed = static_cast<uint64_t>(options.seed),
                                 .sample = static_cast<uint64_t>(number)}};
    request.done = [&result, part](const Outcome& outcome) {
      result.state = with_known(outcome.x, part);
      result.record = outcome.record;
    };
    return request;
  };
  engine.run(supply, [&] {
    progress.update(engine.counts());
    if (host.stop_requested()) engine.cancel_all();
  });
  progress.end();
  std::erase_if(filled, [](const FilledImage& one) {
    return one.state.size() == 0 || !is_finished(one.record.status);
  });
  return filled;
}

void warn_of_interrupt(const InpaintResult& result, const InpaintOptions& options, Logger& log) {
  if (result.done == 0) {
    log.warn("interrupted: none of {} images is done, so nothing is written to {}", result.asked,
             options.out);
  } else {
    log.warn("interrupted: {} of {} images are done and written; the others are not", result.done,
             result.asked);
  }
}

}  // namespace

void InpaintOptions::declare(OptionSet& options) {
  options.text("model", model, kModelHelp);
  options.text("data", data, "images: a named set or a path, as for eqm train");
  options.count("count", count, Range::between(1, 1e6), "how many of them, chosen at random");
  options.text("mask", mask,
               "what is missing: left, right, top, bottom or centre, with its share as in "
               "left:0.3, or a picture that is bright there");
  options.choice("known", known, known_pixel_names(),
                 "how known pixels are held: noised lets them come out of the noise with the "
                 "rest, clean sets them from the start");
  options.count("fills", fills, Range::between(1, 1000), "fillings of each image");
  options.text("label", label, "own for each image's class, null for none, or a class");
  guidance.declare(options);
  options.count("seed", seed, Range::between(0, 9e15), "of the noise");
  options.section("descent");
  descent.declare(options);
  options.section("output");
  options.text("out", out, "folder for the pictures and the table");
  options.flag("pictures", pictures, "writes every image as a picture of its own");
  options.text("npz", npz, "a file for all filled pictures, as evaluators read them");
  codec.declare(options);
  runtime.declare(options);
}

InpaintResult run(const InpaintOptions& options, Host& host) {
  const Runtime runtime = make_runtime(options.runtime);
  const RuntimeScope scope(runtime);
  const torch::TensorOptions type = runtime.tensors();
  const std::string model_name = given_or_shipped_model(options.model, *host.log());
  const Model model = load_for(model_name, type);
  require_sound_inpainting(options, model);
  const Codec codec = options.codec.codec_of(model, type);
  const LearnedField field(model);
  warn_of_unused(options.descent, model.objective, *host.log());
  const std::vector<GivenImage> images =
      read_given_images({.data = options.data,
                         .count = options.count,
                         .label = options.label,
                         .states_each = 2 + 3 * static_cast<double>(options.fills)},
                        model, codec, host);
  require_guidable(options.guidance, model, images);
  const Shape picture = codec.picture_shape(model.backbone->state_shape());
  const FillMask mask = read_fill_mask(options.mask, picture[1], picture[2]);
  const Filling filling = {.options = options,
                           .field = field,
                           .images = images,
                           .known = known_elements(mask, model.backbone->state_shape())};
  for (const GivenImage& image : images) check_terms(field, filling.terms_of(image));
  const OutputFolder folder(options.out);
  host.begin_stoppable_work();
  InpaintResult result;
  result.asked = static_cast<int64_t>(images.size()) * options.fills;
  result.missing = mask.share();
  const std::vector<FilledImage> filled = fill_in(filling, host);
  result.done = static_cast<int64_t>(filled.size());
  result.stopped = host.stop_requested();
  if (result.stopped) warn_of_interrupt(result, options, *host.log());
  if (filled.empty()) return result;

  const InpaintFigures figures = {
      .model = model,
      .codec = codec,
      .known = filling.known,
      .fills = options.fills,
      .psnr = !makes_latents(model),
      .pictures = options.pictures,
      .npz = options.npz,
      .origin = {{"Software", software_name()},
                 {"Model", model_name},
                 {"Data", options.data},
                 {"Mask", options.mask},
                 {"Guidance", options.guidance.described()},
                 {"Rule", options.descent.resolve(model.objective).described()}}};
  if (figures.psnr) result.psnr = 0;
  for (const FilledImage& one : filled) {
    const auto share = 1 / static_cast<double>(filled.size());
    result.mean_steps += share * static_cast<double>(one.record.steps);
    if (!figures.psnr) continue;
    const State& given = images[static_cast<size_t>(one.image)].state;
    *result.psnr += share * psnr_of_missing(one.state, given, figures);
  }
  result.files = write_inpainted(options.out, images, filled, figures);
  host.log()->info("wrote {} to {}", fmt::join(result.files, ", "), options.out);
  if (!options.npz.empty()) host.log()->info("wrote {} pictures to {}", result.done, options.npz);
  return result;
}

std::string text_of(const InpaintResult& result) {
  std::string text;
  if (result.done > 0) {
    text += fmt::format("{:<18} {}\n{:<18} {:.1f} %\n{:<18} {:.1f}\n", "filled images", result.done,
                        "missing pixels", 100 * result.missing, "mean steps", result.mean_steps);
  }
  if (result.psnr) {
    text += fmt::format("{:<18} {:.2f} dB in the missing part\n", "PSNR", *result.psnr);
  }
  return text;
}

}  // namespace eqm::app
