// Samples of two models beside each other, along the same noise and steps: the paper's picture of
// the sampling process. A strip keeps the states of a few samples at even stages of their way.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "eqm/app/sample_sink.h"
#include "eqm/io/image.h"

namespace eqm::app {

// Samples are watched on one thread and added on another, as every sink's.
class FilmStrip final : public SampleSink {
 public:
  // Of the first `samples`, at stages that are even in `limit` steps, both ends included.
  FilmStrip(int64_t samples, int64_t limit);

  void watch(int64_t sample, const Sight& sight) override;
  void add(int64_t sample, const Outcome& outcome) override;

  int64_t samples() const { return samples_; }
  const std::vector<int64_t>& steps() const { return steps_; }

  // The stages of a sample that was added, [stages, ...]; one that came to rest stays as it was.
  Tensor stages(int64_t sample, const Shape& shape) const;

 private:
  int64_t samples_;
  std::vector<int64_t> steps_;
  std::mutex mutex_;
  std::map<int64_t, std::map<int64_t, State>> states_;  // by sample and step
};

struct StripRow {
  std::string name;
  Tensor stages;  // [stages, ...]
  Codec codec;
};

// A row of pictures for each, with the steps above.
Image strip_picture(const std::vector<StripRow>& rows, const std::vector<int64_t>& steps,
                    const std::string& title);

}  // namespace eqm::app
