// The trained models of a lab, shared between experiments: a model is known by a hash of all that
// its weights follow from, and trained when it is first needed.
#pragma once

#include <filesystem>
#include <string>

#include "eqm/app/host.h"
#include "eqm/app/lab/experiment.h"
#include "eqm/app/train.h"

namespace eqm::app {

// Where a lab is, and how it works.
struct LabPlace {
  std::filesystem::path folder;
  std::filesystem::path data;  // the folder of data sets that users fetch
  LabScale scale;
  RuntimeOptions runtime = {};
};

struct LabModel {
  std::string title;  // "linear: base c=linear lambda=1"
  std::string key;    // 16 hexadecimal digits
  std::filesystem::path folder;
  TrainingOptions training;

  // Trained to its last step.
  bool is_done() const;

  // Of a trained model: its file, or that of the checkpoint after a share of the training. Kind
  // input where that checkpoint was not kept.
  std::filesystem::path weights_at(double share) const;
};

// The model of an experiment for one of its seeds; those it begins with come before it.
// Kind input for recipes and changes that training does not know.
std::vector<LabModel> lab_models(const LabPlace& lab, const Experiment& experiment,
                                 const std::string& name, int64_t seed);

// Trains it, or resumes it. False when the host asked for a stop.
bool train(const LabModel& model, Host& host);

}  // namespace eqm::app
