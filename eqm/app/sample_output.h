// What a sampling verb leaves in its folder: a picture of every sample as it is done, one line of
// JSON for each, a labelled grid of the first
// hundreds, samples on their way as stages, charts and an animation, the distribution of steps.
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
#include "eqm/codec/codec.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/output_folder.h"
#include "eqm/io/png.h"
#include "eqm/io/sample_npz.h"
#include "eqm/landscape/labels.h"

namespace eqm::app {

struct OutputChoice {
  bool pictures = true;
  bool class_folders = false;  // pictures in a folder for each class
  bool trace = false;          // how samples came about: trace.png, trace.csv, norms and energies
  bool animate = false;        // descent.png: an animation of the same
  bool histogram = false;      // steps.png and steps.svg
  std::string npz = {};        // a file for all samples, as evaluators read them; empty for none
  ZipMethod npz_method = ZipMethod::stored;
  std::vector<int64_t> labels = {};  // of the grid's rows; empty for none
};

// Where samples, which take their labels in turn, are shown: a row for each label.
struct GridLayout {
  int64_t rows = 1, count = 0;

  int64_t columns() const { return (count + rows - 1) / rows; }
  int64_t row_of(int64_t sample) const { return class_in_turn(sample, rows); }
  int64_t column_of(int64_t sample) const { return sample / rows; }
};

// The files that finish() may leave, but for samples.jsonl.
std::vector<std::string> figures_of_samples();

class SampleOutput {
 public:
  // `rows` are the names of the grid's rows, empty where it has none; `origin` is what made the
  // samples, for the pictures' text.
  SampleOutput(const std::filesystem::path& folder, const Model& model, const Codec& codec,
               std::vector<std::string> rows, const GridLayout& layout, PngText origin,
               const OutputChoice& choice);

  // Samples in the order of their numbers. One thread may watch while another adds. Bad disks are
  // errors here. Those that were cancelled are in samples.jsonl, the trace and the grid as they
  // were, but no results: they have no picture of their own, no place in the .npz and no share in
  // the means.
  void watch(int64_t sample, const Sight& sight);
  void add(int64_t sample, const Outcome& outcome);

  // Writes what needs all samples. Returns the names of the files.
  std::vector<std::string> finish();

  // One line per status with its count, then the mean steps, evaluations and last norms of samples
  // that are done.
  std::string summary() const;
  int64_t count_of(DescentStatus status) const;
  // Whether any sample came to its end, whatever that was.
  bool has_finished_samples() const;
  // How many samples the .npz has; 0 without one.
  int64_t npz_samples() const { return npz_ ? npz_->count() : 0; }

 private:
  std::string row_of(int64_t sample) const;
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
  std::vector<std::string> folders_;  // of the rows, where pictures go into folders
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
  std::vector<double> steps_, evaluations_, norms_;
  std::map<DescentStatus, int64_t> outcomes_;
};

}  // namespace eqm::app
