#include "eqm/app/training_layers.h"

#include "eqm/base/error.h"
#include "eqm/train/run_folder.h"

namespace eqm::app {

std::string record_to_resume(const TrainingOptions& options, const GivenOptions& given) {
  const auto resume = given.find("resume");
  if (resume == given.end()) return "";
  for (const char* no : {"false", "no", "0", "off"}) {
    if (resume->second == no) return "";
  }
  const auto out = given.find("out");
  return RunPaths{.folder = out == given.end() ? options.out : out->second}.config();
}

void choose_duration(TrainingOptions& options, const GivenOptions& given) {
  TrainOptions& training = options.training;
  const bool steps = given.contains("steps"), epochs = given.contains("epochs");
  const bool both_in_file =
      training.epochs > 0 && training.steps != 0 && training.steps != TrainOptions().steps;
  if ((steps && epochs) || (!steps && !epochs && both_in_file)) {
    throw Error(ErrorKind::usage, "steps and epochs were both given",
                steps ? "give {steps} or {epochs}, and not both"
                      : "omit one of them; a recipe with epochs that builds on one with steps also "
                        "says steps = 0");
  }
  if (steps) training.epochs = 0;
}

}  // namespace eqm::app
