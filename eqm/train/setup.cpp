#include "eqm/train/setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include "eqm/backbone/mlp.h"
#include "eqm/backbone/sit.h"
#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/data/cache_source.h"
#include "eqm/data/open_source.h"
#include "eqm/data/shard_source.h"
#include "eqm/train/run_folder.h"

namespace eqm {
namespace {

// Without a test part, every n-th example is kept aside: this share of the set at most.
constexpr int64_t kLeastTrainedPerHeldOut = 9;

SitConfig sit_for(const ModelOptions& options, const TrainingData& data) {
  const Shape& shape = data.shape;
  if (shape.size() != 3 || shape[1] != shape[2]) {
    throw Error(
        ErrorKind::input,
        fmt::format("a SiT learns square images, not states of shape [{}]", fmt::join(shape, ", ")),
        "give --size to crop and scale images, or --model mlp for vectors");
  }
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
                fmt::format("choose another patch (--model XS/{}), or give --size",
                            config.patch_size > 2 ? 2 : 1));
  }
  return config;
}

MlpConfig mlp_for(const ModelOptions& options, const TrainingData& data, ObjectiveKind kind) {
  if (data.shape.size() != 1) {
    throw Error(
        ErrorKind::input,
        fmt::format("an MLP learns vectors, not states of shape [{}]", fmt::join(data.shape, ", ")),
        "choose a SiT for images, such as --model XS/4");
  }
  MlpConfig config = {.dimension = data.shape[0]};
  if (options.width > 0) config.width = options.width;
  if (options.depth > 0) config.depth = options.depth;
  config.num_classes = static_cast<int64_t>(data.training->class_names().size());
  config.time_input = sees_time(kind);
  return config;
}

std::shared_ptr<Backbone> fresh_backbone(const TrainOptions& options, const TrainingData& data) {
  std::shared_ptr<Backbone> backbone;
  if (options.model.model == "mlp") {
    backbone = std::make_shared<Mlp>(mlp_for(options.model, data, options.objective.kind));
  } else {
    backbone = std::make_shared<Sit>(sit_for(options.model, data));
  }
  backbone->initialise(static_cast<uint64_t>(options.seed));
  return backbone;
}

// Some of the training set, kept aside: every n-th example.
void split(TrainingData& data, int64_t held_out) {
  const int64_t size = data.training->size();
  const int64_t stride =
      std::max(size / std::max<int64_t>(1, held_out), kLeastTrainedPerHeldOut + 1);
  if (size < stride) return;  // too few to spare any
  data.held_out = shard_source(data.training, stride - 1, stride);
  data.training = except_shard_source(data.training, stride - 1, stride);
}

// The part of the data that is meant for testing; null when there is none, with the reason in
// `why`.
SourcePtr test_part(const TrainDataOptions& options, const SourceOptions& how, std::string& why) {
  if (!options.held_out_data.empty()) {
    return open_source(options.held_out_data,
                       {.split = Split::train, .channels = how.channels, .size = how.size});
  }
  try {
    return open_source(options.data, how);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    why = error.what();
    return nullptr;
  }
}

}  // namespace

TrainingData open_training_data(const TrainDataOptions& options) {
  const auto limit = static_cast<uint64_t>(options.cache_mb) << 20;
  SourceOptions how = {.split = Split::train, .channels = options.channels, .size = options.size};
  TrainingData data;
  data.training = cache_source(open_source(options.data, how), limit);
  const Example first = data.training->get(0);
  data.shape = first.shape;
  data.scaling = first.dtype == Dtype::u8 ? Scaling::pixels()
                                          : Scaling{.centre = {0}, .unit = 1 / options.scale};
  if (options.held_out == 0) return data;
  how.split = Split::test;
  const SourcePtr test = test_part(options, how, data.held_out_note);
  if (!test) {
    split(data, options.held_out);
    return data;
  }
  if (test->class_names() != data.training->class_names() || test->get(0).shape != data.shape) {
    throw Error(ErrorKind::input,
                "the held-out data have other classes or shapes than the training data",
                "give held-out data of the same kind, or --held-out 0");
  }
  const int64_t stride = std::max<int64_t>(1, test->size() / options.held_out);
  data.held_out = cache_source(shard_source(test, 0, stride), limit);
  return data;
}

Model make_model(const TrainOptions& options, const TrainingData& data) {
  Model model;
  model.backbone = fresh_backbone(options, data);
  if (!options.model.init.empty()) {
    const Model start = load_model(find_model(options.model.init));
    if (start.backbone->architecture() != model.backbone->architecture()) {
      throw Error(
          ErrorKind::input,
          fmt::format("the model '{}' has another architecture than this run", options.model.init),
          "choose the same model, width, depth and data as it was trained with");
    }
    model.backbone = start.backbone;
    model.output_sign = start.output_sign;
  }
  model.objective = options.objective;
  model.scaling = data.scaling;
  model.class_names = data.training->class_names();
  return model;
}

RunIdentity identity_of(const TrainOptions& options, const TrainingData& data, const Model& model) {
  const Magnitude& magnitude = options.objective.magnitude;
  return {{"architecture", model.backbone->architecture()},
          {"objective", name_of(options.objective.kind)},
          {"landscape",
           fmt::format("{} a={} b={} lambda={}", name_in(magnitude_names(), magnitude.kind),
                       magnitude.a, magnitude.b, magnitude.lambda)},
          {"data set", fmt::format("{} examples, fingerprint {:016x}", data.training->size(),
                                   data.training->fingerprint())},
          {"batch", std::to_string(options.batch)},
          {"seed", std::to_string(options.seed)}};
}

}  // namespace eqm
