#include "eqm/train/setup.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/backbone/kinds.h"
#include "eqm/backbone/learned_sigma.h"
#include "eqm/base/error.h"
#include "eqm/data/cache_source.h"
#include "eqm/data/class_names.h"
#include "eqm/data/layout.h"
#include "eqm/data/missing_part.h"
#include "eqm/data/open_source.h"
#include "eqm/data/pick_source.h"
#include "eqm/io/text.h"
#include "eqm/train/run_folder.h"

namespace eqm {
namespace {

// Without a test part, one of so many training examples is kept aside at most.
constexpr int64_t kLeastTrainedPerHeldOut = 10;

// Those that the network is shown.
std::vector<std::string> shown_classes(const ModelOptions& model, const TrainingData& data) {
  return model.class_input ? data.training->class_names() : std::vector<std::string>();
}

std::string architecture_for(const TrainOptions& options, const TrainingData& data) {
  const ModelOptions& model = options.model;
  return plan_backbone({.preset = model.model,
                        .width = model.width,
                        .depth = model.depth,
                        .heads = model.heads,
                        .patch = model.patch,
                        .state = data.shape,
                        .classes = static_cast<int64_t>(shown_classes(model, data).size()),
                        .label_dropout = model.label_dropout,
                        .sees_time = sees_time(options.objective.kind),
                        .time_input = model.time_input,
                        .dropout = model.dropout});
}

// The part of the data that is meant for testing; null when there is none.
SourcePtr test_part(const TrainDataOptions& options, SourceOptions how) {
  if (!options.held_out_data.empty()) return open_source(options.held_out_data, how);
  how.split = Split::test;
  try {
    return open_source(options.data, how);
  } catch (const MissingPart&) {
    return nullptr;
  }
}

// What examples become.
struct StateKind {
  Shape shape;
  Scaling scaling;
};

StateKind states_from(const Layout& layout, const Vae* autoencoder) {
  if (layout.posteriors > 0) return {layout.state_shape(), Scaling::latents()};
  if (layout.dtype != Dtype::u8) return {layout.shape, Scaling{}};
  if (autoencoder == nullptr) return {layout.shape, Scaling::pixels()};
  return {latent_shape(autoencoder->config(), layout.shape), Scaling::latents()};
}

// Those of the chosen examples that can be read.
std::vector<int64_t> sound(const Source& source, const std::vector<int64_t>& chosen) {
  std::vector<int64_t> kept;
  for (const int64_t index : chosen) {
    try {
      source.get(index);
      kept.push_back(index);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
    }
  }
  return kept;
}

// Chooses the held-out examples: of the test part, or else of the training set, which loses
// them.
void hold_out(TrainingData& data, const TrainDataOptions& options, const SourceOptions& how) {
  SourcePtr from = test_part(options, how);
  data.held_out_is_own = from != nullptr;
  if (from) {
    if (from->class_names() != data.training->class_names() ||
        states_from(layout_of(*from), data.codec.autoencoder().get()).shape != data.shape) {
      throw Error(ErrorKind::input,
                  "the held-out data have other classes or shapes than the training data",
                  "give held-out data of the same kind, or {held-out} 0");
    }
  } else {
    from = data.training;
  }
  const int64_t most = data.held_out_is_own ? from->size() : from->size() / kLeastTrainedPerHeldOut;
  Choice choice = choose_examples(from->size(), std::min(options.held_out, most));
  if (options.skip_damaged) choice.chosen = sound(*from, choice.chosen);
  if (choice.chosen.empty()) return;  // too few to spare any
  if (!data.held_out_is_own) data.training = pick_source(from, choice.rest);
  data.held_out = pick_source(from, choice.chosen);
}

}  // namespace

TrainingData open_training_data(const TrainDataOptions& options,
                                std::shared_ptr<const Vae> autoencoder) {
  const auto limit = static_cast<uint64_t>(options.cache_mb) << 20;
  const SourceOptions how = {
      .split = Split::train, .channels = options.channels, .size = options.size};
  TrainingData data;
  data.training = cache_source(open_source(options.data, how), limit);
  require_utf8_classes(*data.training);
  const Layout layout = layout_of(*data.training);
  StateKind states = states_from(layout, autoencoder.get());
  if (options.scale > 0 && states.scaling != Scaling::pixels()) {
    states.scaling = {.centre = {0}, .unit = 1 / options.scale};
  }
  if (autoencoder) require_latents(autoencoder->config(), states.shape);
  data.shape = states.shape;
  data.codec = Codec(states.scaling, std::move(autoencoder));
  if (options.held_out > 0) hold_out(data, options, how);
  return data;
}

double least_memory(const TrainOptions& options, const TrainingData& data) {
  constexpr double kWeightCopies = 5;
  const auto rows = static_cast<double>(options.batch / options.accumulate);
  const BackboneCost cost = cost_of(architecture_for(options, data));
  return sizeof(float) * (kWeightCopies * cost.weights + rows * cost.activations);
}

Model make_model(const TrainOptions& options, const TrainingData& data, ModelStart start) {
  Model model;
  const std::string architecture = architecture_for(options, data);
  if (start == ModelStart::as_built) {
    model.backbone = make_backbone(architecture);
  } else if (options.model.init.empty()) {
    model.backbone = make_backbone(architecture);
    model.backbone->initialise(static_cast<uint64_t>(options.seed));
  } else {
    const Model trained = load_model(find_model(options.model.init));
    const BackbonePtr backbone = without_learned_sigma(trained.backbone);
    if (backbone->architecture() != architecture) {
      throw Error(
          ErrorKind::input,
          fmt::format("the model '{}' has another architecture than this run", options.model.init),
          "choose the same model, width, depth and data as it was trained with");
    }
    const ObjectiveRow& row = row_of(options.objective.kind);
    const ObjectiveKind learned = trained.objective.kind;
    const bool fits = std::ranges::find(row.starts_from, learned) != row.starts_from.end();
    if (!row.starts_from.empty() && !fits) {
      throw Error(ErrorKind::input,
                  fmt::format("{} starts from an EqM model, and '{}' was trained as {}", row.name,
                              options.model.init, name_of(learned)),
                  "train with {objective} eqm first");
    }
    model.backbone = backbone;
    model.output_sign = trained.output_sign;
  }
  model.objective = options.objective;
  model.scaling = data.codec.scaling();
  model.class_names = shown_classes(options.model, data);
  return model;
}

RunIdentity identity_of(const TrainOptions& options, const TrainingData& data, const Model& model) {
  const Magnitude& magnitude = options.objective.magnitude;
  RunIdentity identity = {
      {"architecture", model.backbone->architecture()},
      {"objective", name_of(options.objective.kind)},
      {"landscape",
       fmt::format("{} a={} b={} lambda={}", name_in(magnitude_names(), magnitude.kind),
                   magnitude.a, magnitude.b, magnitude.lambda)},
      {"data set", fmt::format("{} examples, fingerprint {:016x}", data.training->size(),
                               data.training->fingerprint())},
      {"scale", fmt::format("{}", data.codec.scaling().unit)},
      {"dispersive weight", fmt::format("{}", options.objective.dispersive_weight)},
      {"label dropout", fmt::format("{}", options.model.label_dropout)},
      {"flip", options.data.flip ? "yes" : "no"},
      {"precision", std::string(options_of(*model.backbone).dtype().name())},
      {"batch", std::to_string(options.batch)},
      {"seed", std::to_string(options.seed)}};
  if (options.gamma != GammaDraw::uniform) {
    identity["gamma distribution"] = name_in(gamma_draw_names(), options.gamma);
  }
  if (data.codec.has_autoencoder() && layout_of(*data.training).dtype == Dtype::u8) {
    identity["autoencoder"] =
        fmt::format("fingerprint {:016x}", data.codec.autoencoder()->fingerprint());
  }
  return identity;
}

}  // namespace eqm
