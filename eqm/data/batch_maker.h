// Makes the k-th batch of an endless stream of examples: position p of the stream belongs to epoch
// p / size and has place p % size in it, and batch k holds positions [k B, (k + 1) B), or a part of
// them. So a batch is a pure function of (source, options, k). Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>

#include "eqm/base/log.h"
#include "eqm/base/names.h"
#include "eqm/data/batch.h"
#include "eqm/data/buffer_pool.h"
#include "eqm/data/layout.h"
#include "eqm/data/source.h"

namespace eqm {

// What happens to damaged examples, and to those of another shape than the first.
enum class BadExamples {
  stop,  // the error of such an example ends the stream
  skip,  // the next sound one of the source takes its place
};

const Names<BadExamples>& bad_examples_names();

inline constexpr int64_t kMaxBatch = int64_t{1} << 20;

struct BatchOptions {
  int64_t batch = 64;  // B, up to kMaxBatch
  int64_t part = 0;    // of `parts` that every batch is divided into (part_of): the one to make
  int64_t parts = 1;
  uint64_t seed = 0;
  bool flip = false;  // mirror every other image
  BadExamples bad_examples = BadExamples::stop;
  int64_t kept_buffers = 4;  // how many buffers wait for reuse
};

class BatchMaker {
 public:
  BatchMaker(SourcePtr source, const BatchOptions& options, std::shared_ptr<Logger> logger);

  // Nothing when stopped before the batch was complete.
  std::optional<Batch> make(int64_t number, const std::stop_token& stop = {});

  // How many examples of the source have been found damaged and skipped so far.
  int64_t skipped() const;

  const Layout& layout() const { return layout_; }

 private:
  RowRange rows_of(int64_t number) const;
  Example read(int64_t& index);
  bool is_known_bad(int64_t index) const;
  void remember_bad(int64_t index, const char* reason);

  SourcePtr source_;
  BatchOptions options_;
  std::shared_ptr<Logger> logger_;
  Layout layout_;
  std::shared_ptr<BufferPool> buffers_;
  mutable std::mutex mutex_;
  std::set<int64_t> bad_;
};

}  // namespace eqm
