#include "eqm/app/lab/lab_model.h"

#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "eqm/app/shipped.h"
#include "eqm/base/error.h"
#include "eqm/base/hash.h"
#include "eqm/base/toml.h"
#include "eqm/io/atomic_file.h"

namespace eqm::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDoneMark = "trained";  // a file beside the model

// Whether the weights depend on an option: not on what is shown, measured or written on the way.
bool makes_weights(const Option& option) {
  static const std::set<std::string> kSections = {"data", "model", "landscape", "training",
                                                  "autoencoder"};
  static const std::set<std::string> kIdle = {"loader-threads", "cache-mb", "vae-memory-mb",
                                              "init"};
  return kSections.contains(option.section) && !kIdle.contains(option.name);
}

std::string key_of(TrainingOptions options, const std::string& init_key) {
  OptionSet set;
  options.declare(set);
  Hash hash;
  for (const Option& option : set.options()) {
    if (makes_weights(option)) hash.add(option.name).add(to_text(option.get()));
  }
  return fmt::format("{:016x}", hash.add(init_key).value());
}

// A folder of that key under any title, or a new one.
fs::path folder_of_model(const fs::path& models, const std::string& slug, const std::string& key) {
  std::error_code error;
  for (fs::directory_iterator entry(models, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().ends_with("-" + key)) return entry->path();
  }
  return models / fmt::format("{}-{}", slug, key);
}

// Letters that every file system takes.
std::string slug_of(const std::string& text) {
  std::string slug;
  for (const char letter : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) || letter == '.';
    slug += plain ? letter : '-';
  }
  return slug.substr(0, 60);
}

TrainingOptions training_of(const LabPlace& lab, const Experiment& experiment,
                            const ExperimentModel& model, int64_t seed) {
  const ScaleRole& role = lab.scale.role(model.role);
  const std::string origin = fmt::format("{}, model {}", experiment.name, model.name);
  TrainingOptions options;
  OptionSet set;
  options.declare(set);
  read_toml_file(set, find_shipped(ShippedKind::recipe, role.recipe),
                 [](const std::string& base) { return find_shipped(ShippedKind::recipe, base); });
  apply(with_data(settings_in(role.change, origin), lab.data), set, origin);
  apply(with_data(settings_in(model.change, origin), lab.data), set, origin);
  options.training.seed += seed;
  options.runtime = lab.runtime;
  return options;
}

}  // namespace

bool LabModel::is_done() const {
  std::error_code ignored;
  return fs::exists(folder / kDoneMark, ignored) &&
         fs::exists(RunPaths{.folder = folder}.model(), ignored);
}

fs::path LabModel::weights_at(double share) const {
  const RunPaths paths = {.folder = folder};
  if (share == 1) return paths.model();
  TrainingOptions trained;  // with epochs as steps
  OptionSet set;
  trained.declare(set);
  read_toml_file(set, paths.config());
  const auto step = std::llround(share * static_cast<double>(trained.training.steps));
  const fs::path checkpoint = paths.checkpoints() / step_name(step);
  std::error_code ignored;
  if (fs::exists(checkpoint, ignored)) return checkpoint;
  throw Error(ErrorKind::input,
              fmt::format("the run '{}' has no checkpoint of step {}", folder.string(), step),
              "its recipe must keep it: see keep-every");
}

std::vector<LabModel> lab_models(const LabPlace& lab, const Experiment& experiment,
                                 const std::string& name, int64_t seed) {
  const ExperimentModel& wanted = experiment.model(name);
  std::vector<LabModel> models;
  if (!wanted.from.empty()) models = lab_models(lab, experiment, wanted.from, seed);
  LabModel model;
  model.training = training_of(lab, experiment, wanted, seed);
  model.key = key_of(model.training, models.empty() ? "" : models.back().key);
  model.title = fmt::format("{}{}", name, seed == 0 ? "" : fmt::format(", seed {}", seed));
  const std::string what = fmt::format("{} {} seed {}", wanted.role, wanted.change, seed);
  model.folder = folder_of_model(lab.folder / "models", slug_of(what), model.key);
  model.training.out = model.folder.string();
  if (!models.empty()) model.training.training.model.init = models.back().folder.string();
  models.push_back(std::move(model));
  return models;
}

bool train(const LabModel& model, Host& host) {
  TrainingOptions options = model.training;
  std::error_code ignored;
  const RunPaths run_folder = {.folder = model.folder};
  if (fs::exists(run_folder.config(), ignored)) {
    OptionSet set;
    options.declare(set);
    read_toml_file(set, run_folder.config());
    options.out = model.folder.string();
    options.runtime = model.training.runtime;
    options.resume = true;
  }
  const TrainingResult result = run(options, host);
  if (result.stopped) return false;
  write_file(model.folder / kDoneMark, model.key + "\n");
  return true;
}

}  // namespace eqm::app
