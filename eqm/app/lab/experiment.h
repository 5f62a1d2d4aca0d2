// An experiment of the paper as data: the models it trains, what it measures of them, the figure,
// and the claims that are tested. One TOML file each in experiments/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eqm/app/lab/claim.h"
#include "eqm/app/lab/scale.h"
#include "eqm/app/sweep_grid.h"

namespace eqm::app {

// A model to train: the recipe that its role has at a scale, with changes.
struct ExperimentModel {
  std::string name = {};
  std::string role = "base";
  std::string change = {};  // settings of training
  std::string from = {};    // the model of this experiment whose weights it begins with
};

// A line of the table or the chart: a model, sampled or scored in one way.
struct ExperimentCurve {
  std::string name = {};
  std::string model = {};    // empty: the one of the same name
  std::string options = {};  // settings of the measurement, in addition to the experiment's
  std::string paper = {};    // the paper's numbers, as "38.3" or "20:41.2 100:35.0" by point
  double at = 1;             // share of the training after which the model is taken
};

struct ExperimentClaim {
  std::string text = {};    // in words
  std::string that = {};    // as an inequality (claim.h)
  std::string paper = {};   // the same with the paper's numbers
  std::string scales = {};  // where it is tested, with commas; empty: at all
};

// What an experiment does otherwise at one scale.
struct ExperimentAtScale {
  std::string scale = {};
  std::string options = {}, vary = {};  // empty: as at any scale
};

// A data set that must be there, and where it comes from.
struct ExperimentNeed {
  std::string data = {};  // beneath the folder of data
  std::string from = {};
};

struct Experiment {
  std::string name = {};   // of its file
  std::string title = {};  // of its figure
  std::string place = {};  // in the paper
  std::string about = {};
  std::string measure = "evaluate";  // a kind of measure.h
  std::string number = {};           // the first of the table; empty: the kind's first
  std::string also = {};             // further numbers of the table, with commas
  std::string options = {};          // settings of the measurement
  std::string vary = {};             // a grid (sweep_grid.h): one axis, or two where `best` is one
  std::string best = {};             // the axis of which only the best point counts
  bool larger_is_better = false;
  std::string x_label = {}, y_label = {};
  bool log_x = false, log_y = false;
  std::vector<ExperimentModel> models = {};
  std::vector<ExperimentCurve> curves = {};
  std::vector<ExperimentClaim> claims = {};
  std::vector<ExperimentAtScale> at_scale = {};
  std::vector<ExperimentNeed> needs = {};

  const ExperimentModel& model(const std::string& name) const;  // kind input where there is none

  // With what it does at that scale in place of what it does otherwise.
  Experiment at(const std::string& scale) const;
};

// Kind input, naming the file, for what does not fit together.
Experiment read_experiment(const std::filesystem::path& path);

// What comes with the program, by name.
std::vector<std::filesystem::path> shipped_experiments();

// A file, or the shipped experiment of that name. Kind usage for neither, with the nearest name.
std::filesystem::path find_experiment(const std::string& what);

}  // namespace eqm::app
