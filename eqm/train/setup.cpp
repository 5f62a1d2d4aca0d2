#include "eqm/train/setup.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/backbone/convnet.h"
#include "eqm/backbone/mlp.h"
#include "eqm/backbone/sit.h"
#include "eqm/backbone/unet.h"
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

constexpr const char* kSquareOrMlp =
    "give {size} to crop and scale images, or {model} mlp for vectors";

void demand_square_images(const char* network, const Shape& shape, const char* hint) {
  if (shape.size() == 3 && shape[1] == shape[2]) return;
  throw Error(ErrorKind::input,
              fmt::format("{} learns square images, not states of shape [{}]", network,
                          fmt::join(shape, ", ")),
              hint);
}

SitConfig sit_for(const ModelOptions& options, const TrainingData& data) {
  const Shape& shape = data.shape;
  demand_square_images("a SiT", shape, kSquareOrMlp);
  SitConfig config = sit_preset(options.model);
  if (options.width > 0) config.hidden_size = options.width;
  if (options.depth > 0) config.depth = options.depth;
  if (options.heads > 0) config.num_heads = options.heads;
  config.in_channels = shape[0];
  config.input_size = shape[1];
  config.num_classes = static_cast<int64_t>(data.training->class_names().size());
  config.class_dropout_prob = config.num_classes > 0 ? options.label_dropout : 1;
  if (config.input_size % config.patch_size != 0) {
    throw Error(ErrorKind::usage,
                fmt::format("images of {0}x{0} cannot be cut into patches of {1}x{1}",
                            config.input_size, config.patch_size),
                fmt::format("choose another patch ({{model}} {}/{}), or give {{size}}",
                            options.model.substr(0, options.model.find('/')),
                            config.input_size % 2 == 0 ? 2 : 1));
  }
  return config;
}

UnetConfig unet_for(const ModelOptions& options, const TrainingData& data) {
  const Shape& shape = data.shape;
  demand_square_images("a U-Net", shape, kSquareOrMlp);
  UnetConfig config = unet_preset(options.model);
  if (options.width > 0) config.model_channels = options.width;
  if (options.depth > 0) config.num_res_blocks = options.depth;
  if (options.heads > 0) config.num_heads = options.heads;
  config.in_channels = config.out_channels = shape[0];
  config.input_size = shape[1];
  config.num_classes = static_cast<int64_t>(data.training->class_names().size());
  config.ignore_time = !options.time_input;
  config.dropout = options.dropout;
  const int64_t times = static_cast<int64_t>(config.channel_mult.size()) - 1;
  const int64_t unit = int64_t{1} << times;
  if (config.input_size % unit != 0) {
    throw Error(
        ErrorKind::usage,
        fmt::format("images of {0}x{0} cannot be halved {1} times", config.input_size, times),
        fmt::format("give {{size}} {}", (config.input_size / unit + 1) * unit));
  }
  return config;
}

MlpConfig mlp_for(const ModelOptions& options, const TrainingData& data, ObjectiveKind kind) {
  if (data.shape.size() != 1) {
    throw Error(
        ErrorKind::input,
        fmt::format("an MLP learns vectors, not states of shape [{}]", fmt::join(data.shape, ", ")),
        "choose a SiT or U-Net for images, such as {model} XS/4");
  }
  MlpConfig config = {.dimension = data.shape[0]};
  if (options.width > 0) config.width = options.width;
  if (options.depth > 0) config.depth = options.depth;
  config.num_classes = static_cast<int64_t>(data.training->class_names().size());
  config.time_input = sees_time(kind);
  return config;
}

ConvNetConfig convnet_for(const ModelOptions& options, const TrainingData& data) {
  const Shape& shape = data.shape;
  demand_square_images("a classifier", shape, "give {size} to crop and scale images");
  ConvNetConfig config = {.in_channels = shape[0], .input_size = shape[1]};
  config.num_classes = static_cast<int64_t>(data.training->class_names().size());
  if (config.num_classes < 2) {
    throw Error(ErrorKind::input, "a classifier needs data of two classes or more",
                "sort the images into one folder per class");
  }
  if (options.width > 0) config.width = options.width;
  return config;
}

std::shared_ptr<Backbone> fresh_backbone(const TrainOptions& options, const TrainingData& data) {
  std::shared_ptr<Backbone> backbone;
  if (options.model.model == "mlp") {
    backbone = std::make_shared<Mlp>(mlp_for(options.model, data, options.objective.kind));
  } else if (options.model.model == "convnet") {
    backbone = std::make_shared<ConvNet>(convnet_for(options.model, data));
  } else if (options.model.is_unet()) {
    backbone = std::make_shared<Unet>(unet_for(options.model, data));
  } else {
    backbone = std::make_shared<Sit>(sit_for(options.model, data));
  }
  backbone->initialise(static_cast<uint64_t>(options.seed));
  return backbone;
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

// Chooses the examples to judge by: of the test part, or else of the training set, which loses
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
  constexpr double kWidthsPerToken = 16;  // what a block keeps of a token, attention aside
  const auto rows = static_cast<double>(options.batch / options.accumulate);
  double weights = 0, kept = 0;
  if (options.model.model == "mlp") {
    const MlpConfig config = mlp_for(options.model, data, options.objective.kind);
    weights = weight_count(config);
    kept = static_cast<double>(config.depth * config.width);
  } else if (options.model.model == "convnet") {
    const ConvNetConfig config = convnet_for(options.model, data);
    check(config);
    weights = weight_count(config);
    kept = activation_count(config);
  } else if (options.model.is_unet()) {
    const UnetConfig config = unet_for(options.model, data);
    check(config);
    weights = weight_count(config);
    kept = activation_count(config);
  } else {
    const SitConfig config = sit_for(options.model, data);
    check(config);
    const auto side = static_cast<double>(config.input_size / config.patch_size);
    const double tokens = side * side;
    weights = weight_count(config);
    kept = static_cast<double>(config.depth) * tokens *
           (kWidthsPerToken * static_cast<double>(config.hidden_size) +
            tokens * static_cast<double>(config.num_heads));
  }
  return sizeof(float) * (kWeightCopies * weights + rows * kept);
}

Model make_model(const TrainOptions& options, const TrainingData& data, ModelStart start) {
  Model model;
  model.backbone = fresh_backbone(options, data);
  if (!options.model.init.empty() && start == ModelStart::as_asked) {
    const Model trained = load_model(find_model(options.model.init));
    if (trained.backbone->architecture() != model.backbone->architecture()) {
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
    model.backbone = trained.backbone;
    model.output_sign = trained.output_sign;
  }
  model.objective = options.objective;
  model.scaling = data.codec.scaling();
  model.class_names = data.training->class_names();
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
  if (data.codec.has_autoencoder() && layout_of(*data.training).dtype == Dtype::u8) {
    identity["autoencoder"] =
        fmt::format("fingerprint {:016x}", data.codec.autoencoder()->fingerprint());
  }
  return identity;
}

}  // namespace eqm
