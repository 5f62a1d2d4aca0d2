// What sampling leaves in its folder: a picture of every sample as it is done, one line of JSON for
// each, a labelled grid of the first hundreds, samples on their way as stages, charts and an
// animation, the distribution of steps.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "eqm/app/descent_figures.h"
#include "eqm/app/sample_sink.h"
#include "eqm/base/options.h"
#include "eqm/codec/codec.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/output_folder.h"
#include "eqm/io/png.h"
#include "eqm/io/sample_npz.h"

namespace eqm::app {

struct OutputChoice {
  bool pictures = true;
  bool class_folders = false;  // pictures in a folder for each class
  bool trace = false;          // how samples came about: trace.png, trace.csv, norms and energies
  bool animate = false;        // descent.png: an animation of the same
  bool histogram = false;      // steps.png and steps.svg
  std::string npz = {};        // a file for all samples, as evaluators read them; empty for none
  ZipMethod npz_method = ZipMethod::stored;

  void declare(OptionSet& options);
  // Throws a usage error for an .npz that is not called so.
  void validate() const;
};

// The files that finish() may leave, but for samples.jsonl.
std::vector<std::string> figures_of_samples();

class SampleOutput final : public SampleSink {
 public:
  // `origin` is what made the samples, for the pictures' text. The plan's model outlives this.
  SampleOutput(const std::filesystem::path& folder, const SamplingPlan& plan, PngText origin,
               const OutputChoice& choice);

  // Bad disks are errors here. Samples that were cancelled are in samples.jsonl, the trace and the
  // grid as they were, but no results: they have no picture of their own and no place in the .npz.
  void watch(int64_t sample, const Sight& sight) override;
  void add(int64_t sample, const Outcome& outcome) override;

  // Writes what needs all samples. Returns the names of the files.
  std::vector<std::string> finish();

  // How many samples the .npz has; 0 without one.
  int64_t npz_samples() const { return npz_ ? npz_->count() : 0; }

 private:
  std::optional<int64_t> label_of(int64_t sample) const;
  std::optional<std::string> label_name_of(int64_t sample) const;  // that, or the mix
  int64_t shown_columns() const;
  bool is_shown(int64_t sample) const;
  void write_picture(int64_t sample, const Tensor& state);
  void write_grid();
  void add_to_npz(int64_t sample, const Tensor& state);
  void write_points();
  bool is_traced(int64_t sample) const;
  bool is_animated(int64_t sample) const;
  int64_t animated_columns() const;
  std::vector<NamedPath> paths_where(const std::function<bool(int64_t)>& wanted) const;
  std::vector<std::string> write_trace();
  std::vector<std::string> write_descent();
  void write_histogram();

  std::filesystem::path folder_;
  const Model& model_;
  Codec codec_;  // of states
  Codec shown_;  // of what is kept for the grid: decoded already, or states
  std::vector<std::string> rows_;
  std::vector<int64_t> labels_;
  std::vector<int64_t> sample_labels_;
  std::vector<std::string> sample_starts_;
  std::string pictures_;
  std::map<int64_t, std::string> folders_;  // of labels, where pictures go into folders
  GridLayout layout_;
  PngText origin_;
  OutputChoice choice_;
  std::optional<OutputFolder> pictures_folder_;
  AtomicFile lines_;
  std::map<int64_t, Tensor> kept_;  // for the grid, or points, by number
  std::unique_ptr<SampleNpz> npz_;  // null where none is asked for
  AnimationSize animation_;
  std::mutex paths_mutex_;
  std::map<int64_t, SamplePath> paths_;
  std::vector<double> evaluations_;  // of samples that are done
};

}  // namespace eqm::app
