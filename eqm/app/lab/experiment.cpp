#include "eqm/app/lab/experiment.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "eqm/app/shipped.h"
#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/base/toml.h"

namespace eqm::app {
namespace {

void declare_experiment(OptionSet& set, Experiment& it) {
  set.text("title", it.title, "");
  set.text("place", it.place, "");
  set.text("about", it.about, "");
  set.text("measure", it.measure, "");
  set.text("number", it.number, "");
  set.text("also", it.also, "");
  set.text("options", it.options, "");
  set.text("vary", it.vary, "");
  set.text("best", it.best, "");
  set.flag("larger-is-better", it.larger_is_better, "");
  set.text("x-label", it.x_label, "");
  set.text("y-label", it.y_label, "");
  set.flag("log-x", it.log_x, "");
  set.flag("log-y", it.log_y, "");
}

std::map<std::string, EntryDeclarer> experiment_lists(Experiment& it) {
  return {{"model",
           [&it](OptionSet& set) {
             ExperimentModel& model = it.models.emplace_back();
             set.text("name", model.name, "");
             set.text("role", model.role, "");
             set.text("change", model.change, "");
             set.text("from", model.from, "");
           }},
          {"curve",
           [&it](OptionSet& set) {
             ExperimentCurve& curve = it.curves.emplace_back();
             set.text("name", curve.name, "");
             set.text("model", curve.model, "");
             set.text("options", curve.options, "");
             set.text("paper", curve.paper, "");
             set.number("at", curve.at, Range{.least = 0, .most = 1, .above = true}, "");
           }},
          {"claim",
           [&it](OptionSet& set) {
             ExperimentClaim& claim = it.claims.emplace_back();
             set.text("text", claim.text, "");
             set.text("that", claim.that, "");
             set.text("paper", claim.paper, "");
             set.text("scales", claim.scales, "");
           }},
          {"at-scale",
           [&it](OptionSet& set) {
             ExperimentAtScale& at = it.at_scale.emplace_back();
             set.text("scale", at.scale, "");
             set.text("options", at.options, "");
             set.text("vary", at.vary, "");
           }},
          {"need", [&it](OptionSet& set) {
             ExperimentNeed& need = it.needs.emplace_back();
             set.text("data", need.data, "");
             set.text("from", need.from, "");
           }}};
}

void require_known(const std::string& name, const std::vector<std::string>& known,
                   const std::string& what, const std::string& origin) {
  if (std::ranges::find(known, name) != known.end()) return;
  throw Error(ErrorKind::input, fmt::format("{}: there is no {} '{}'", origin, what, name),
              suggestion(name, known));
}

template <class Entry>
std::vector<std::string> unique_names(const std::vector<Entry>& entries, const std::string& what,
                                      const std::string& origin) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.name.empty() || std::ranges::find(names, entry.name) != names.end()) {
      throw Error(ErrorKind::input,
                  entry.name.empty()
                      ? fmt::format("{}: a {} has no name", origin, what)
                      : fmt::format("{}: two {}s are called '{}'", origin, what, entry.name),
                  fmt::format("give each [[{}]] a name of its own", what));
    }
    names.push_back(entry.name);
  }
  return names;
}

// What fits together within the file; what a measurement knows is checked where it is run.
void check_experiment(const Experiment& it, const std::string& origin) {
  const std::vector<std::string> models = unique_names(it.models, "model", origin);
  const std::vector<std::string> curves = unique_names(it.curves, "curve", origin);
  if (curves.empty()) {
    throw Error(ErrorKind::input, fmt::format("{}: nothing is measured", origin),
                "name what by [[curve]] entries");
  }
  for (size_t i = 0; i < it.models.size(); ++i) {
    const ExperimentModel& model = it.models[i];
    settings_in(model.change, origin);
    const auto before = models.begin() + static_cast<std::ptrdiff_t>(i);
    if (model.from.empty() || std::find(models.begin(), before, model.from) != before) continue;
    throw Error(ErrorKind::input,
                fmt::format("{}: the model '{}' begins with '{}', which does not stand before it",
                            origin, model.name, model.from),
                "list models before those that begin with them");
  }
  for (const ExperimentCurve& curve : it.curves) {
    require_known(curve.model, models, "model", origin);
    settings_in(curve.options, origin);
  }
  for (const ExperimentClaim& claim : it.claims) {
    for (const MeasuredName& name : names_in(parse_claim(claim.that, origin))) {
      require_known(name.curve, curves, "curve", origin);
    }
  }
  for (const ExperimentAtScale& at : it.at_scale) {
    require_known(at.scale, scale_names(), "scale", origin);
  }
}

}  // namespace

const ExperimentModel& Experiment::model(const std::string& wanted) const {
  const auto found = std::ranges::find(models, wanted, &ExperimentModel::name);
  if (found != models.end()) return *found;
  throw Error(ErrorKind::input, fmt::format("{}: there is no model '{}'", name, wanted),
              "name one of its [[model]] entries");
}

Experiment Experiment::at(const std::string& scale) const {
  Experiment changed_one = *this;
  std::erase_if(changed_one.claims, [&](const ExperimentClaim& claim) {
    return !claim.scales.empty() &&
           ("," + claim.scales + ",").find("," + scale + ",") == std::string::npos;
  });
  for (const ExperimentAtScale& at : at_scale) {
    if (at.scale != scale) continue;
    if (!at.vary.empty()) changed_one.vary = at.vary;
    changed_one.options =
        text_of(changed(settings_in(options, name), settings_in(at.options, name)));
  }
  return changed_one;
}

Experiment read_experiment(const std::filesystem::path& path) {
  Experiment it;
  it.name = path.stem().string();
  static const std::set<std::string> kOfTheLab = {"models", "measured", "lab", "measurements",
                                                  "summary"};
  const bool plain = !it.name.empty() && it.name.find('.') == std::string::npos;
  if (!plain || kOfTheLab.contains(it.name)) {
    throw Error(ErrorKind::input, fmt::format("'{}' cannot be the name of an experiment", it.name),
                "its results go into a folder of that name: rename the file");
  }
  OptionSet top;
  declare_experiment(top, it);
  read_toml_lists(path, top, experiment_lists(it));
  for (ExperimentCurve& curve : it.curves) {
    if (curve.model.empty()) curve.model = curve.name;
  }
  check_experiment(it, path.string());
  return it;
}

std::vector<std::filesystem::path> shipped_experiments() {
  std::vector<std::filesystem::path> paths;
  for (const ShippedFile& file : shipped_files(ShippedKind::experiment)) {
    if (!file.path.parent_path().string().ends_with("scales")) paths.push_back(file.path);
  }
  return paths;
}

std::filesystem::path find_experiment(const std::string& what) {
  if (what.ends_with(".toml")) return what;
  std::vector<std::string> names;
  for (const std::filesystem::path& path : shipped_experiments()) {
    if (path.stem() == what) return path;
    names.push_back(path.stem().string());
  }
  throw Error(ErrorKind::usage, fmt::format("there is no experiment '{}'", what),
              names.empty() ? "give the path of a TOML file" : suggestion(what, names));
}

}  // namespace eqm::app
