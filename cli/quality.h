// How good the samples of a setting are: drawn through the engine, judged by a classifier against
// data.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "eqm/data/split.h"
#include "eqm/descend/sampling.h"
#include "eqm/measure/judge.h"

namespace eqm::cli {

// Pictures of a data set as a judge looks at them, at most so many, evenly spread over it.
SourcePtr pictures_for(const Judge& judge, const std::string& data, Split split, int64_t count);

// Kind input when the judge looks at pictures of another size than the model's.
void require_fitting(const Judge& judge, const Model& model);

struct Quality {
  double distance = 0;     // Fréchet, of the judge's features, to the data
  double accuracy = 0;     // share of samples that look like the label they were asked for
  double evaluations = 0;  // of the field, per sample
  double seconds = 0;      // to draw them
  int64_t diverged = 0;
};

struct Contest {
  int64_t samples = 512;
  uint64_t seed = 0;
  double guidance = 1;
};

class QualityMeter {
 public:
  // Judges by `count` examples of the data's training part, evenly spread over it.
  QualityMeter(Judge judge, const std::string& data, int64_t count);

  // Samples with labels in turn. `go_on` is asked after every tick; when it answers false, nothing
  // comes back.
  std::optional<Quality> of(const LearnedField& field, const DescentOptions& descent,
                            const Contest& contest,
                            const std::function<bool(const EngineCounts&)>& go_on) const;

  // Of states that are there already; [n] labels or undefined.
  Quality of(const Tensor& states, const Scaling& scaling, const Tensor& labels) const;

  // The same number for as many real pictures that neither the judge nor the reference has seen;
  // none when the data have no test part.
  std::optional<double> floor(int64_t count) const;

  const Judge& judge() const { return judge_; }

 private:
  Judge judge_;
  std::string data_;
  Moments reference_;
};

}  // namespace eqm::cli
