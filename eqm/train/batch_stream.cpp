#include "eqm/train/batch_stream.h"

#include <utility>

namespace eqm {
namespace {

LoaderOptions loader_options(const TrainOptions& options) {
  return {.batch = options.batch,
          .seed = static_cast<uint64_t>(options.seed),
          .threads = options.data.loader_threads,
          .flip = options.data.flip,
          .bad_examples = options.data.skip_damaged ? BadExamples::skip : BadExamples::stop};
}

Randomness randomness_of(const TrainOptions& options, const Model& model) {
  const int64_t null_label = model.backbone->null_label();
  return {.seed = static_cast<uint64_t>(options.seed),
          .label_dropout = null_label >= 0 ? options.model.label_dropout : 0,
          .null_label = null_label,
          .gamma = options.gamma,
          .labels = options.model.class_input};
}

}  // namespace

BatchStream::BatchStream(const TrainOptions& options, const TrainingData& data, const Model& model,
                         int64_t first, const torch::TensorOptions& type,
                         std::shared_ptr<Logger> log)
    : codec_(data.codec),
      randomness_(randomness_of(options, model)),
      parts_(options.accumulate),
      type_(type),
      loader_(data.training, loader_options(options), first, std::move(log)) {}

std::vector<TrainingBatch> BatchStream::next() {
  return parts_of(make_training_batch(loader_.next(), codec_, randomness_, type_), parts_);
}

}  // namespace eqm
