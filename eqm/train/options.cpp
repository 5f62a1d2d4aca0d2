#include "eqm/train/options.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/backbone/kinds.h"
#include "eqm/base/error.h"
#include "eqm/data/formats.h"

namespace eqm {
namespace {

constexpr double kMany = 1e12;  // more steps or examples than anyone will see

}  // namespace

void TrainDataOptions::declare(OptionSet& options) {
  options.section("data");
  options.text("data", data,
               fmt::format("fashion-mnist, mnist, or a path: {}", readable_formats()));
  options.text(
      "held-out-data", held_out_data,
      "held-out data; empty takes the set's own test part, or holds out some of the training data");
  options.count("held-out", held_out, Range::between(0, kMany),
                "number of held-out examples; 0 for none");
  options.count("size", size, Range::between(0, 8192),
                "crops and scales images to this height and width; 0 keeps their size");
  options.count("channels", channels, Range::between(0, 3),
                "1 for grey, 3 for colour, 0 to keep those of the data");
  options.number("scale", scale, Range::between(0, 1e9),
                 "multiplies non-pixel data; 0 chooses 0.18215 for posteriors of `eqm encode` and "
                 "pictures that {vae} encodes, else 1");
  options.flag("flip", flip, "random horizontal flips");
  options.flag("skip-damaged", skip_damaged, "skips damaged images, and counts them");
  options.count("loader-threads", loader_threads, Range::between(1, 256),
                "threads that read and decode data");
  options.count("cache-mb", cache_mb, Range::between(0, 1e9),
                "caches decoded data in memory, up to this size");
}

namespace {

// "a SiT (XS/1, XS/2), a U-Net (unet-small), ..."
std::string model_help() {
  std::vector<std::string> kinds;
  for (const BackboneKind& kind : backbone_kinds()) {
    std::vector<std::string> names;
    for (const BackbonePreset& preset : kind.presets) names.push_back(preset.name);
    kinds.push_back(fmt::format("{}: {}", kind.help, fmt::join(names, ", ")));
  }
  return fmt::format("{}", fmt::join(kinds, "; "));
}

}  // namespace

void ModelOptions::declare(OptionSet& options) {
  options.section("model");
  options.text("model", model, model_help());
  options.count("width", width, Range::between(0, 65536),
                "overrides the preset's width (model_channels of a U-Net); 0 keeps it");
  options.count("depth", depth, Range::between(0, 1024),
                "overrides the preset's depth (residual blocks per level of a U-Net); 0 keeps it");
  options.count("heads", heads, Range::between(0, 1024),
                "overrides the preset's number of attention heads; 0 keeps it");
  options.count("patch", patch, Range::between(0, 1024),
                "overrides the patch size of a SiT's preset; 0 keeps it");
  options.flag("class-input", class_input, "builds a network that takes class labels");
  options.flag("time-input", time_input, "builds a U-Net with its time input");
  options.number("dropout", dropout, {.least = 0, .most = 0.9},
                 "dropout probability of a U-Net (0.3 in the reference)");
  options.number("label-dropout", label_dropout, Range::between(0, 1),
                 "probability of dropping a label in training; above 0 allows guidance");
  options.text("init", init, "a trained model or run to start from (eqm-l2 needs an eqm model)");
}

void CadenceOptions::declare(OptionSet& options) {
  options.section("output");
  const Range steps = Range::between(0, kMany);
  options.count("log-every", log_every, Range::between(1, kMany), "steps between metrics");
  options.count("evaluate-every", evaluate_every, steps,
                "steps between held-out losses; 0 for none");
  options.count("sample-every", sample_every, steps, "steps between sample grids; 0 for none");
  options.count("quality-every", quality_every, steps,
                "steps between measurements of sample quality; 0 for none");
  options.count("checkpoint-every", checkpoint_every, steps,
                "steps between checkpoints; 0 for one at the end");
  options.count("keep-last", keep_last, Range::between(1, 1e6),
                "number of latest checkpoints to keep");
  options.count("keep-every", keep_every, steps,
                "also keeps checkpoints at multiples of this many steps; 0 for none");
  options.count("preview", preview, Range::between(1, 100), "samples per class in a grid");
}

void TrainOptions::declare(OptionSet& options) {
  data.declare(options);
  model.declare(options);
  options.section("landscape");
  options.choice("objective", objective.kind, objective_names(), "what is learned");
  objective.magnitude.declare(options);
  options.number("dispersive", objective.dispersive_weight, Range::between(0, 1e6),
                 "weight of the dispersive loss (0.5 in the reference code)");
  options.choice("gamma-distribution", gamma, gamma_draw_names(), gamma_draw_help());
  options.section("training");
  options.count("steps", steps, Range::between(0, kMany), "total number of optimiser steps");
  options.number("epochs", epochs, Range::between(0, kMany),
                 "passes over the training data, in place of {steps}; 0 uses {steps}");
  options.count("batch", batch, Range::between(1, 1e6), "examples per step");
  options.count("accumulate", accumulate, Range::between(1, 1e6),
                "gradient accumulation: parts that a batch is split into, to save memory");
  schedule.declare(options);
  adamw.declare(options);
  options.number("clip", clip, Range::at_least(0),
                 "clips gradients to this norm; 0 for no clipping");
  options.number("ema", ema, Range::between(0, 1),
                 "decay of the moving average of the weights (EMA)");
  options.flag("ema-warm-up", ema_warm_up, "raises that decay from 0.1 over time, for short runs");
  options.count("seed", seed, Range::between(0, 9e15), "seed of everything random");
  options.section("preview");
  descent.declare(options);
  options.text(
      "labels", labels,
      "classes of previews and quality samples by name or number, separated by commas; null "
      "for no class; empty for all, of which previews show ten");
  guidance.declare(options);
  cadence.declare(options);
  codec.declare(options);
}

void TrainOptions::validate() const {
  objective.magnitude.validate();
  if (batch % accumulate != 0) {
    throw Error(
        ErrorKind::usage,
        fmt::format("a batch of {} cannot be computed in {} equal parts", batch, accumulate),
        "choose accumulate so that it divides batch");
  }
  if (accumulate > 1 && objective.dispersive_weight > 0) {
    throw Error(ErrorKind::usage, "the dispersive loss compares a whole batch at once",
                "use it with accumulate = 1");
  }
  if (!row_of(objective.kind).starts_from.empty() && model.init.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} starts from a trained EqM model", name_of(objective.kind)),
                "train with {objective} eqm first, then give that run by {init}");
  }
  const BackboneKind& backbone = kind_of_preset(model.model);
  if (is_classifier(objective.kind) != backbone.classifies) {
    throw Error(ErrorKind::usage, "a convnet classifies, and only a convnet does",
                "give {objective} classifier and {model} convnet together, or neither");
  }
  if (is_classifier(objective.kind) && !model.class_input) {
    throw Error(ErrorKind::usage, "a classifier learns the labels of the data",
                "leave {class-input} on");
  }
  if (!backbone.drops && (model.dropout > 0 || !model.time_input)) {
    throw Error(ErrorKind::usage, "only a U-Net has dropout, or can be built without time",
                "choose {model} unet-small, or omit {dropout} and leave {time-input} on");
  }
  if (!model.time_input && sees_time(objective.kind)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} shows the time to the network", name_of(objective.kind)),
                "leave {time-input} on");
  }
  if (cadence.sample_every > 0 && !is_classifier(objective.kind)) descent.validate(objective);
  if (data.channels == 2) {
    throw Error(ErrorKind::usage, "images have 1 or 3 channels, not 2", "use 1, 3, or 0 for any");
  }
}

TrainOptions TrainOptions::resolve(int64_t examples) const {
  TrainOptions result = *this;
  if (epochs <= 0) return result;
  const double wanted =
      std::ceil(epochs * static_cast<double>(examples) / static_cast<double>(batch));
  if (wanted > kMany) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} epochs of {} examples are more than {} steps", epochs, examples, kMany),
        "lower {epochs}");
  }
  result.steps = static_cast<int64_t>(wanted);
  result.epochs = 0;
  return result;
}

}  // namespace eqm
