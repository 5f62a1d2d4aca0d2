// What can be measured of a trained model: each kind is one row of a table. A kind runs uses of
// the program with their own options, and answers numbers with intervals.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/app/lab/estimate.h"
#include "eqm/app/lab/settings.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

struct MeasurementRequest {
  std::string origin = {};           // for messages: the experiment and its curve
  std::filesystem::path model = {};  // its file
  Settings settings = {};            // options of the kind
  int64_t seed = 0;
  RuntimeOptions runtime = {};
  std::filesystem::path out = {};  // a folder for pictures
};

struct MeasurementKind {
  std::string name, help;
  std::string first;  // the number that is meant where none is named
  // All options that the numbers depend on, the model apart. Kind input for settings it does not
  // know.
  std::function<std::string(const MeasurementRequest&)> identity;
  // Nothing when the host asked for a stop.
  std::function<std::optional<NamedEstimates>(const MeasurementRequest&, Host&)> run;
};

const std::vector<MeasurementKind>& measurement_kinds();

// Kind input for a name that is none; `origin` stands before the sentence.
const MeasurementKind& measurement_kind(const std::string& name, const std::string& origin);

// Rows of the table, each in a file of its own.
MeasurementKind evaluate_kind();
MeasurementKind score_kind();
MeasurementKind neighbours_kind();
MeasurementKind composition_kind();

// Kind input when the settings name one of these, which the lab sets.
void require_unset(const std::vector<std::string>& keys, const MeasurementRequest& request);

// The options of a use with those that a request names, and with its model, seed, folder and
// runtime.
template <class Options>
Options options_for(const MeasurementRequest& request) {
  Options options;
  OptionSet set;
  options.declare(set);
  require_unset({"model", "seed"}, request);
  apply(request.settings, set, request.origin);
  if (const Option* seed = set.find("seed")) seed->set(request.seed);
  if (const Option* model = set.find("model")) model->set(request.model.string());
  options.out = request.out.string();
  options.runtime = request.runtime;
  return options;
}

// All options as text, but for those that say where and by what means.
std::string identity_of(const OptionSet& set);

template <class Options>
std::string identity_for(const MeasurementRequest& request) {
  Options options = options_for<Options>(request);
  OptionSet set;
  options.declare(set);
  return identity_of(set);
}

}  // namespace eqm::app
