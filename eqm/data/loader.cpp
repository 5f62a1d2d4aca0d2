#include "eqm/data/loader.h"

#include <chrono>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

void check_range(std::string_view name, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return;
  throw Error(ErrorKind::usage, fmt::format("the loader cannot have {} = {}", name, value),
              fmt::format("choose a number from {} to {}", least, most));
}

const LoaderOptions& checked(const LoaderOptions& options, int64_t first_batch) {
  check_range("batch", options.batch, 1, kMaxBatch);
  check_range("threads", options.threads, 0, kMaxLoaderThreads);
  check_range("prefetch", options.prefetch, 1, kMaxPrefetch);
  // Leaves room for more batches than anyone will ask for.
  check_range("first_batch", first_batch, 0, std::numeric_limits<int64_t>::max() / 2 / kMaxBatch);
  return options;
}

}  // namespace

Loader::Loader(SourcePtr source, const LoaderOptions& options, int64_t first_batch,
               std::shared_ptr<Logger> logger)
    : maker_(std::move(source),
             {.batch = checked(options, first_batch).batch,
              .part = options.part,
              .parts = options.parts,
              .seed = options.seed,
              .flip = options.flip,
              .bad_examples = options.bad_examples,
              // Ready ones, one in each thread, and one or two with the caller.
              .kept_buffers = options.prefetch + options.threads + 2},
             std::move(logger)),
      next_(first_batch),
      claimed_(first_batch),
      slots_(static_cast<size_t>(options.prefetch)) {
  for (int64_t i = 0; i < options.threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

Loader::~Loader() {
  // All at once; then each is joined as it is destroyed.
  for (std::jthread& thread : threads_) thread.request_stop();
}

Batch Loader::next() {
  std::unique_lock lock(mutex_);
  Slot& slot = slot_of(next_);
  if (!slot.is_filled()) {
    const auto start = std::chrono::steady_clock::now();
    if (threads_.empty()) {
      slot = make(next_, {});
    } else {
      filled_.wait(lock, [&slot] { return slot.is_filled(); });
    }
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
    waited_seconds_ += waited.count();
  }
  if (slot.error) std::rethrow_exception(slot.error);
  Batch batch = std::move(*slot.batch);
  slot = {};
  ++next_;
  lock.unlock();
  room_.notify_one();
  return batch;
}

void Loader::work(const std::stop_token& stop) {
  for (;;) {
    std::unique_lock lock(mutex_);
    const auto prefetch = static_cast<int64_t>(slots_.size());
    room_.wait(lock, stop, [&] { return claimed_ < next_ + prefetch; });
    if (stop.stop_requested()) return;
    const int64_t number = claimed_++;
    lock.unlock();
    Slot slot = make(number, stop);
    if (!slot.is_filled()) return;
    lock.lock();
    slot_of(number) = std::move(slot);
    lock.unlock();
    filled_.notify_one();
  }
}

Loader::Slot Loader::make(int64_t number, const std::stop_token& stop) {
  try {
    return {.batch = maker_.make(number, stop), .error = nullptr};
  } catch (...) {
    return {.batch = std::nullopt, .error = std::current_exception()};
  }
}

Loader::Slot& Loader::slot_of(int64_t number) {
  return slots_[static_cast<size_t>(number) % slots_.size()];
}

}  // namespace eqm
