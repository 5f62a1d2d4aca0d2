// Delivers batches in order while threads in the background make the next ones. The batches are
// those of batch_maker.h, so they do not depend on the number of threads, and a loader that begins
// at batch k continues one that ended there.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "eqm/base/log.h"
#include "eqm/data/batch.h"
#include "eqm/data/batch_maker.h"
#include "eqm/data/source.h"

namespace eqm {

inline constexpr int64_t kMaxLoaderThreads = 256;
inline constexpr int64_t kMaxPrefetch = 4096;

struct LoaderOptions {
  int64_t batch = 64;
  int64_t part = 0, parts = 1;  // of every batch, the part that is delivered (batch_maker.h)
  uint64_t seed = 0;
  int64_t threads = 1;   // 0: batches are made within next()
  int64_t prefetch = 4;  // batches made ahead
  bool flip = false;
  BadExamples bad_examples = BadExamples::stop;
};

// One caller at a time.
class Loader {
 public:
  // Reads one example to learn the shape. The logger names skipped examples from any thread, so its
  // sinks must be thread-safe.
  Loader(SourcePtr source, const LoaderOptions& options, int64_t first_batch = 0,
         std::shared_ptr<Logger> logger = silent_logger());
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // Stops the threads at the example they are at.
  ~Loader();

  // Throws what went wrong with this batch, and the same again when called again.
  Batch next();

  // The number of the batch next() will deliver.
  int64_t position() const { return next_; }

  // Time spent in next() so far because the batch was not ready.
  double waited_seconds() const { return waited_seconds_; }

  // Different damaged examples skipped so far, those of batches made ahead included.
  int64_t skipped() const { return maker_.skipped(); }

  // Type and shape of one example.
  const Layout& layout() const { return maker_.layout(); }

 private:
  struct Slot {
    std::optional<Batch> batch;
    std::exception_ptr error;
    bool is_filled() const { return batch.has_value() || error != nullptr; }
  };

  Slot make(int64_t number, const std::stop_token& stop);
  void work(const std::stop_token& stop);
  Slot& slot_of(int64_t number);

  BatchMaker maker_;
  double waited_seconds_ = 0;
  std::mutex mutex_;                   // guards what follows, except the threads
  std::condition_variable_any room_;   // a slot became free
  std::condition_variable filled_;     // a slot was filled
  int64_t next_;                       // to deliver; written by the caller's thread only
  int64_t claimed_;                    // the first batch no thread works on
  std::vector<Slot> slots_;            // batch k is in slot k % prefetch
  std::vector<std::jthread> threads_;  // last, so that they end before the rest is destroyed
};

}  // namespace eqm
