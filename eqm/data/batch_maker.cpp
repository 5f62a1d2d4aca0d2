#include "eqm/data/batch_maker.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/data/augment.h"
#include "eqm/data/order.h"

namespace eqm {
namespace {

void validate(const BatchOptions& options) {
  if (options.batch < 1 || options.batch > kMaxBatch) {
    throw Error(ErrorKind::usage, fmt::format("a batch cannot have {} examples", options.batch),
                fmt::format("choose a number from 1 to {}", kMaxBatch));
  }
  if (options.parts < 1 || options.parts > options.batch || options.part < 0 ||
      options.part >= options.parts) {
    throw Error(ErrorKind::usage,
                fmt::format("a batch of {} examples has no part {} of {}", options.batch,
                            options.part, options.parts),
                "divide a batch into as many parts as it has examples, or fewer");
  }
}

size_t bytes_of_batch(const Layout& layout, int64_t batch) {
  const size_t each = layout.bytes();
  const auto count = static_cast<size_t>(batch);
  if (each <= std::numeric_limits<size_t>::max() / 2 / count) return each * count;
  throw Error(ErrorKind::usage,
              fmt::format("{} examples of {} pass all memory", batch, describe(layout)),
              "choose smaller batches");
}

}  // namespace

const Names<BadExamples>& bad_examples_names() {
  static const Names<BadExamples> names = {{"stop", BadExamples::stop},
                                           {"skip", BadExamples::skip}};
  return names;
}

BatchMaker::BatchMaker(SourcePtr source, const BatchOptions& options,
                       std::shared_ptr<Logger> logger)
    : source_(std::move(source)), options_(options), logger_(std::move(logger)) {
  validate(options_);
  layout_ = layout_of(*source_);
  if (options_.flip && layout_.shape.size() != 3) {
    throw Error(ErrorKind::usage,
                "only images can be mirrored, but the examples are " + describe(layout_),
                "train without flips");
  }
  if (options_.flip && layout_.posteriors == 1) {
    throw Error(ErrorKind::usage, "these latents were encoded without those of mirrored pictures",
                "train without {flip}, or encode the pictures again with {flip}");
  }
  buffers_ = BufferPool::create(bytes_of_batch(layout_.of_one_view(), rows_of(0).count),
                                static_cast<size_t>(std::max<int64_t>(options_.kept_buffers, 0)));
}

RowRange BatchMaker::rows_of(int64_t number) const {
  return part_of(rows_of_batch(number, options_.batch), options_.part, options_.parts);
}

std::optional<Batch> BatchMaker::make(int64_t number, const std::stop_token& stop) {
  const int64_t size = source_->size();
  Batch batch;
  batch.number = number;
  batch.rows = rows_of(number);
  batch.epoch = batch.rows.first / size;
  batch.dtype = layout_.dtype;
  batch.shape = layout_.of_one_view().shape;
  batch.posterior = layout_.posteriors > 0;
  batch.shape.insert(batch.shape.begin(), batch.rows.count);
  batch.bytes = buffers_->take();
  auto out = batch.bytes->begin();
  for (int64_t position = batch.rows.first; position < batch.rows.end(); ++position) {
    if (stop.stop_requested()) return std::nullopt;
    const int64_t epoch = position / size;
    int64_t index = shuffled(options_.seed, epoch, position % size, size);
    Example example = read(index);
    const bool mirrored = options_.flip && is_flipped(options_.seed, epoch, index);
    keep_one_view(example, mirrored);
    if (mirrored && !batch.posterior) flip_horizontally(example);
    out = std::copy(example.bytes.begin(), example.bytes.end(), out);
    batch.labels.push_back(example.label);
    batch.indices.push_back(index);
  }
  return batch;
}

// Moves `index` to the example that is read instead when it is damaged.
Example BatchMaker::read(int64_t& index) {
  const int64_t size = source_->size();
  for (int64_t tried = 0; tried < size; ++tried, index = (index + 1) % size) {
    if (is_known_bad(index)) continue;
    try {
      Example example = source_->get(index);
      require_layout(example, layout_, source_->name_of(index));
      return example;
    } catch (const Error& error) {
      // What the system refuses to read today may be whole tomorrow: only damage is skipped.
      const bool skip = options_.bad_examples == BadExamples::skip;
      if (!skip || error.kind() != ErrorKind::input) throw;
      remember_bad(index, error.what());
    }
  }
  throw Error(ErrorKind::input, fmt::format("all {} examples of the data set are damaged", size),
              "the log names them; get the data again");
}

bool BatchMaker::is_known_bad(int64_t index) const {
  if (options_.bad_examples == BadExamples::stop) return false;
  const std::lock_guard lock(mutex_);
  return bad_.contains(index);
}

void BatchMaker::remember_bad(int64_t index, const char* reason) {
  {
    const std::lock_guard lock(mutex_);
    if (!bad_.insert(index).second) return;
  }
  logger_->warn("skipped {}: {}", source_->name_of(index), reason);
}

int64_t BatchMaker::skipped() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(bad_.size());
}

}  // namespace eqm
